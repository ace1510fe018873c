#include "unit/admission/worker_pods.h"

#include <gtest/gtest.h>

namespace tpu_admission::admission {

using nlohmann::json;

json Container(const std::string& name, int chips, json env) {
  json container = TpuContainer(name, chips);
  if (!env.is_null()) container["env"] = std::move(env);
  return container;
}

namespace {

json PodOf(const std::string& owner_version, const std::string& owner, json labels,
           const std::string& accelerator, const std::string& topology, json containers) {
  json pod = TpuPod();
  pod["metadata"]["labels"] = std::move(labels);
  pod["metadata"]["ownerReferences"] = json::array({{{"apiVersion", owner_version},
                                                     {"kind", owner},
                                                     {"name", "x"},
                                                     {"uid", "1"},
                                                     {"controller", true}}});
  pod["spec"]["nodeSelector"] = {{"cloud.google.com/gke-tpu-accelerator", accelerator},
                                 {"cloud.google.com/gke-tpu-topology", topology}};
  pod["spec"]["containers"] = std::move(containers);
  return pod;
}

}  // namespace

json RayPod(const std::string& replica, const std::string& host, const std::string& accelerator,
            const std::string& topology, json containers) {
  json labels = {{"ray.io/node-type", "worker"},
                 {"ray.io/group", "test-group"},
                 {"ray.io/cluster", "test-cluster"},
                 {"ray.io/worker-group-replica-index", replica}};
  if (!host.empty()) labels["ray.io/replica-host-index"] = host;
  return PodOf("ray.io/v1", "RayCluster", labels, accelerator, topology, std::move(containers));
}

json StatefulPod(int number, const std::string& accelerator, const std::string& topology,
                 json containers) {
  json pod =
      PodOf("apps/v1", "StatefulSet", json::object(), accelerator, topology, std::move(containers));
  const std::string name = "serve-" + std::to_string(number);
  pod["metadata"]["name"] = name;
  pod["spec"]["hostname"] = name;
  pod["spec"]["subdomain"] = "serve";
  return pod;
}

const rules::Cluster kSelfManaged = {
    .region = "", .platform = rules::Platform::kSelfManaged, .gke_version = ""};

json Mutated(const json& pod, const rules::Cluster& cluster, const std::string& policy) {
  Asker asker({.policy = policy, .docs_url = "", .cluster = cluster});
  const json patch = asker.Mutate(Review(pod)).patch();
  if (patch.is_null()) return pod;
  json after = pod.patch(patch);
  EXPECT_TRUE(asker.Mutate(Review(after)).patch().is_null()) << patch;
  return after;
}

std::string Value(const json& pod, const std::string& name, std::size_t container,
                  const std::string& list) {
  std::string value;
  int times = 0;
  for (const json& variable : pod["spec"][list][container].value("env", json::array())) {
    if (variable["name"] != name) continue;
    ++times;
    value = variable.contains("value") ? variable["value"].get<std::string>()
                                       : variable["valueFrom"].dump();
  }
  return times > 1 ? "twice" : value;
}

json TwoContainers(json env) {
  return json::array({Container("a", 2, env), Container("b", 2, env)});
}

json JobSetPod(json env) {
  json pod = PodOf("batch/v1", "Job",
                   {{"jobset.sigs.k8s.io/coordinator", "ms-w-0-0.ms"},
                    {"jobset.sigs.k8s.io/jobset-name", "ms"},
                    {"jobset.sigs.k8s.io/replicatedjob-name", "w"},
                    {"jobset.sigs.k8s.io/replicatedjob-replicas", "2"},
                    {"jobset.sigs.k8s.io/job-index", "1"},
                    {"batch.kubernetes.io/job-name", "ms-w-1"},
                    {"batch.kubernetes.io/job-completion-index", "2"}},
                   "tpu-v6e-slice", "4x4", json::array({Container("jax", 4, std::move(env))}));
  pod["spec"]["hostname"] = "ms-w-1-2";
  pod["spec"]["subdomain"] = "ms";
  return pod;
}

}  // namespace tpu_admission::admission
