// What the flags of the subcommands say.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tpu_admission/kube/client.h"
#include "tpu_admission/offline/plan.h"

namespace tpu_admission::app {

// Shared by all faces of the engine.
struct EngineOptions {
  std::string catalog_file;      // empty: the built-in catalog
  std::string policy_file;       // empty: every rule by its default
  std::string profile;           // empty: the policy's own, else "standard"
  std::string cluster_location;  // zone or region; empty: not known
  std::string cluster_mode;      // empty: the profile's own, else "standard"
  std::string gke_version;       // empty: not known
  std::string node_record_file;  // of the cluster's nodes, as the controller keeps it; empty: none
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

// How a pod reaches the API server.
struct ApiServerOptions {
  kube::ClientOptions client;  // kube::InCluster() fills what is empty
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";
};

struct ControllerOptions {
  std::string bind_address = "0.0.0.0";
  std::uint16_t metrics_port = 8080;
  std::string namespace_name;  // empty: that of the pod
  std::string service_name = "tpu-admission";
  std::string secret_name = "tpu-admission-tls";
  std::string lease_name = "tpu-admission-controller";
  std::string mutating_webhook_configuration;    // empty: there is none
  std::string validating_webhook_configuration;  // empty: there is none
  std::string node_record;  // ConfigMap to keep the record of nodes in; empty: they are not watched
  std::string cluster_domain = "cluster.local";
  std::chrono::milliseconds certificate_lifetime = std::chrono::hours(90 * 24);
  std::chrono::milliseconds ca_lifetime = std::chrono::hours(365 * 24);
  std::chrono::milliseconds propagation_delay = std::chrono::minutes(2);
  std::chrono::milliseconds poll_interval{10'000};
  bool leader_elect = true;
  std::chrono::milliseconds leader_elect_lease_duration{15'000};
  std::chrono::milliseconds leader_elect_renew_deadline{10'000};
  std::chrono::milliseconds leader_elect_retry_period{2'000};
  ApiServerOptions api_server;
  std::string log_level = "info";
};

struct CheckOptions {
  EngineOptions engine;
  std::vector<std::string> paths;
  std::string namespace_name;  // of objects that name none
  std::string output = "text";
  std::string color = "auto";
  std::string fail_on = "deny";
  bool fail_if_nothing_found = false;
  std::vector<std::string> select;  // rules; none: all
  std::vector<std::string> ignore;
  std::vector<std::string> exclude;  // as in a .gitignore, relative to the current folder
  std::vector<std::string> excludes_of_project;  // the same, relative to project_folder
  std::string project_folder;                    // of the project file that was found; empty: none
  bool no_gitignore = false;
  std::string baseline;  // file of what is known; empty: none
  bool write_baseline = false;
  bool fix = false;          // write repairs into the files
  bool diff = false;         // tell what fix would write
  std::string repair = "a";  // the label of the repair to take
  int threads = 0;           // 0: as many as processors that may be used
};

struct PolicyTestOptions {
  EngineOptions engine;
  std::vector<std::string> files;  // of cases
};

struct LspOptions {
  EngineOptions engine;
  std::string namespace_name;  // of objects that name none
  std::string project_file;    // empty: that of each file's folder
  bool no_project_file = false;
  // Flags that were given, and their values, which beat a project file.
  std::vector<std::pair<std::string, std::vector<std::string>>> given;
  bool stdio = true;  // editors say so; there is no other way
};

// How to reach a cluster as the user does.
struct KubectlOptions {
  std::string program = "kubectl";
  std::string context = {};         // empty: the current one
  std::string kubeconfig = {};      // empty: as kubectl finds it
  std::string namespace_name = {};  // empty: scan: all; why: that of the context
  std::chrono::milliseconds timeout = std::chrono::minutes(2);
};

struct ScanOptions {
  EngineOptions engine;
  // A list of 50,000 pods takes kubectl two minutes.
  KubectlOptions kubectl{.timeout = std::chrono::minutes(10)};
  std::string path;  // "-": standard input instead of kubectl
  bool all_namespaces = false;
  std::vector<std::string> policies;  // none, one, or old and new
  std::string output = "text";
};

struct WhyOptions {
  EngineOptions engine;
  KubectlOptions kubectl;
  std::string object;  // KIND/NAME
  std::string from;    // file or "-": objects as JSON instead of kubectl; empty: kubectl
  bool list = false;   // print the table of causes instead
  std::string output = "text";
};

struct AuditOptions {
  EngineOptions engine;
  std::string bind_address = "0.0.0.0";
  std::uint16_t metrics_port = 8080;
  std::chrono::milliseconds interval = std::chrono::hours(1);
  std::chrono::milliseconds gang_patience = std::chrono::minutes(10);
  bool once = false;   // one pass, and its outcome is printed
  bool clean = false;  // delete our reports instead
  ApiServerOptions api_server;
  std::string log_level = "info";
};

struct VerifyOptions {
  std::string namespace_name = "default";
  std::string namespace_selector;  // of the webhooks, as JSON; empty: it selects every namespace
  bool mutating = true;            // whether this webhook is configured
  bool validating = true;
  std::string expect = "any";  // or "warning", "denial": the least to become of the wrong Pod
  std::chrono::milliseconds timeout{60'000};
  ApiServerOptions api_server;
};

struct WebhooksOptions {
  std::string policy_file;  // its kinds are added to the built-in ones
};

struct CatalogOptions {
  std::string catalog_file;
  std::vector<std::string> only;  // generations and topologies; empty: all
  std::string output = "text";
};

struct PlanOptions {
  std::string catalog_file;
  offline::Wish wish;
  offline::Capacity capacity;
  offline::Naming naming;
  std::string emit;     // empty: tell the ways
  std::size_t way = 1;  // that --emit writes down
  std::string output = "text";
};

struct ExplainOptions {
  std::vector<std::string> rules;
  bool profiles = false;  // tell the profiles instead
  std::string output = "text";
};

}  // namespace tpu_admission::app
