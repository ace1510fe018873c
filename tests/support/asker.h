// A Handler with its settings, and its answers taken apart:
//
//   Asker asker;
//   EXPECT_TRUE(asker.Validate(Review(TpuPod())).allowed());
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/review.h"
#include "tpu_admission/admission/handler.h"

namespace tpu_admission {

struct Answer {
  admission::Record record;
  std::string text;  // as it went out

  bool valid() const { return record.outcome != admission::Outcome::kInvalid; }
  // Of a valid answer; checks nothing by itself.
  nlohmann::json whole() const { return nlohmann::json::parse(text); }
  nlohmann::json response() const { return whole().at("response"); }
  bool allowed() const { return response().at("allowed"); }
  std::string message() const { return response().at("status").at("message"); }
  std::vector<std::string> warnings() const;
  nlohmann::json patch() const;  // the RFC 6902 list; null if there is none
  // "TPU301=deny TPU104=audit", in the order of the findings.
  std::string findings() const { return admission::Summary(record.findings); }
};

struct AskerOptions {
  std::string policy;  // YAML
  std::string docs_url;
  rules::Cluster cluster;
  std::string profile = {};
  Day today = {2026, 11, 21};
};

class Asker {
 public:
  explicit Asker(const AskerOptions& options = {});

  Answer Ask(admission::Endpoint endpoint, std::string_view body);
  Answer Mutate(const Review& review) { return Ask(admission::Endpoint::kMutate, review.Text()); }
  Answer Validate(const Review& review) {
    return Ask(admission::Endpoint::kValidate, review.Text());
  }

 private:
  std::string body_;  // a Record has views into what was parsed
  SnapshotCell<admission::Settings> settings_;
  admission::Handler handler_;
  Day today_;
};

// The built-in catalog, loaded once.
std::shared_ptr<const tpu::Catalog> BuiltInCatalog();

}  // namespace tpu_admission
