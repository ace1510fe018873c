// What the flags of the subcommands say.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tpu_admission::app {

// Shared by all faces of the engine.
struct EngineOptions {
  std::string catalog_file;      // empty: the built-in catalog
  std::string policy_file;       // empty: every rule by its default
  std::string profile;           // empty: the policy's own, else "standard"
  std::string cluster_location;  // zone or region; empty: not known
  std::string cluster_mode;      // empty: the profile's own, else "standard"
  std::string gke_version;       // empty: not known
};

struct ServeOptions {
  EngineOptions engine;
  std::string bind_address = "0.0.0.0";
  std::uint16_t secure_port = 10250;
  std::uint16_t metrics_port = 8080;
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string tls_min_version = "1.3";
  int threads = 0;  // 0: as many as processors, at most 4
  std::chrono::milliseconds shutdown_delay{10'000};
  std::string docs_url;
  std::string log_level = "info";
};

struct CheckOptions {
  EngineOptions engine;
  std::vector<std::string> paths;
  std::string output = "text";
  std::string fail_on = "deny";
};

struct WebhooksOptions {
  std::string policy_file;  // its kinds are added to the built-in ones
};

struct CatalogOptions {
  std::string catalog_file;
  std::string output = "text";
};

struct ExplainOptions {
  std::vector<std::string> rules;
  bool profiles = false;  // tell the profiles instead
  std::string output = "text";
};

}  // namespace tpu_admission::app
