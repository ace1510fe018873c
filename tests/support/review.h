// AdmissionReviews for tests, as the API server writes them:
//
//   Review(TpuPod()).Namespace("team-a").Text()
//   Review(after).Update(before).DryRun().Text()
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace tpu_admission {

// A container with `chips` of google.com/tpu and requests for all it needs.
nlohmann::json TpuContainer(std::string_view name = "jax", int chips = 4);
// Sound objects, of which no rule says anything: one host of v6e 2x2, and a Job over the four hosts
// of a 4x4.
nlohmann::json TpuPod();
nlohmann::json TpuJob();

// `object` with the value at `pointer` set (parents are made), or taken away.
nlohmann::json With(nlohmann::json object, const std::string& pointer, nlohmann::json value);
nlohmann::json Without(nlohmann::json object, const std::string& pointer);

class Review {
 public:
  // CREATE of `object`, whose apiVersion and kind say what the request is about.
  explicit Review(const nlohmann::json& object);

  Review& Update(const nlohmann::json& old_object) {
    return Operation("UPDATE").Set("/request/oldObject", old_object);
  }
  Review& Delete();
  Review& Connect(const std::string& sub_resource);
  Review& Operation(const std::string& name) { return Set("/request/operation", name); }
  Review& Namespace(const std::string& name) { return Set("/request/namespace", name); }
  Review& SubResource(const std::string& name) { return Set("/request/subResource", name); }
  Review& Uid(const std::string& uid) { return Set("/request/uid", uid); }
  Review& ApiVersion(const std::string& version) { return Set("/apiVersion", version); }
  Review& DryRun() { return Set("/request/dryRun", true); }
  Review& Set(const std::string& pointer, nlohmann::json value);
  Review& Remove(const std::string& pointer);

  std::string Text() const { return json_.dump(); }
  const nlohmann::json& whole() const { return json_; }

 private:
  nlohmann::json json_;
};

}  // namespace tpu_admission
