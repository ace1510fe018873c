#include "support/review.h"

#include "tpu_admission/base/text.h"

namespace tpu_admission {

using nlohmann::json;

json TpuContainer(std::string_view name, int chips) {
  const std::string amount = std::to_string(chips);
  return {{"name", name},
          {"image", "example.com/jax"},
          {"resources",
           {{"requests", {{"cpu", "10"}, {"memory", "20Gi"}, {"google.com/tpu", amount}}},
            {"limits", {{"google.com/tpu", amount}}}}}};
}

json TpuPod() {
  json pod = json::parse(R"({
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "serve", "namespace": "ns"},
    "spec": {
      "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                       "cloud.google.com/gke-tpu-topology": "2x2"},
      "tolerations": [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}]}})");
  pod["spec"]["containers"] = {TpuContainer()};
  return pod;
}

json TpuJob() {
  json job = json::parse(R"({
    "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "ns"},
    "spec": {"parallelism": 4, "completions": 4, "completionMode": "Indexed"}})");
  json pod = With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "4x4");
  pod["spec"]["subdomain"] = "train";
  job["spec"]["template"]["spec"] = pod["spec"];
  job["spec"]["template"]["spec"]["priorityClassName"] = "training";  // as TPU703 advises
  return job;
}

json With(json object, const std::string& pointer, json value) {
  object[json::json_pointer(pointer)] = std::move(value);
  return object;
}

json Without(json object, const std::string& pointer) {
  const json::json_pointer where(pointer);
  object.at(where.parent_pointer()).erase(where.back());
  return object;
}

Review::Review(const json& object) {
  const std::string api_version = object.value("apiVersion", "v1");
  const std::string kind = object.value("kind", "");
  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string::npos;
  const json gvk = {{"group", core ? "" : api_version.substr(0, slash)},
                    {"version", core ? api_version : api_version.substr(slash + 1)},
                    {"kind", kind}};
  json resource = gvk;
  resource.erase("kind");
  resource["resource"] = LowerCase(kind) + "s";
  json_ = {{"kind", "AdmissionReview"},
           {"apiVersion", "admission.k8s.io/v1"},
           {"request",
            {{"uid", "705ab4f5-6393-11e8-b7cc-42010a800002"},
             {"kind", gvk},
             {"resource", resource},
             {"requestKind", gvk},
             {"requestResource", resource},
             {"name", "it"},
             {"namespace", "ns"},
             {"operation", "CREATE"},
             {"userInfo", {{"username", "ann"}, {"groups", {"system:authenticated"}}}},
             {"object", object},
             {"oldObject", nullptr},
             {"dryRun", false},
             {"options", {{"kind", "CreateOptions"}, {"apiVersion", "meta.k8s.io/v1"}}}}}};
}

Review& Review::Delete() {
  Set("/request/oldObject", json_["request"]["object"]);
  return Operation("DELETE").Set("/request/object", nullptr);
}

Review& Review::Connect(const std::string& sub_resource) {
  return Operation("CONNECT").SubResource(sub_resource).Set("/request/object", nullptr);
}

Review& Review::Set(const std::string& pointer, json value) {
  json_ = With(std::move(json_), pointer, std::move(value));
  return *this;
}

Review& Review::Remove(const std::string& pointer) {
  json_ = Without(std::move(json_), pointer);
  return *this;
}

}  // namespace tpu_admission
