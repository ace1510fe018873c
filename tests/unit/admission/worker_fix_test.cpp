// The fix that tells workers who they are: the values of kuberay-tpu-webhook's own tests, and that
// the patch applies, changes nothing of the user's and is not asked for twice.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/asker.h"

namespace tpu_admission::admission {
namespace {

using nlohmann::json;

json Container(const std::string& name, int chips, json env = nullptr) {
  json container = TpuContainer(name, chips);
  if (!env.is_null()) container["env"] = std::move(env);
  return container;
}

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

// The pod as it will be stored; fails if the patch does not apply or is asked for again.
json Mutated(const json& pod, const rules::Cluster& cluster = {}, const std::string& policy = "") {
  Asker asker({.policy = policy, .docs_url = "", .cluster = cluster});
  const json patch = asker.Mutate(Review(pod)).patch();
  if (patch.is_null()) return pod;
  json after = pod.patch(patch);
  EXPECT_TRUE(asker.Mutate(Review(after)).patch().is_null()) << patch;
  return after;
}

// The variable of a container; "" if it is not set, "twice" if it is set twice.
std::string Value(const json& pod, const std::string& name, std::size_t container = 0,
                  const std::string& list = "containers") {
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

TEST(WorkerFix, GivesTheValuesOfKuberaysWebhookOnOneHost) {
  const json pod =
      Mutated(RayPod("0", "", "tpu-v4-podslice", "2x2x1", json::array({Container("ray", 4)})));
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID"), "0");
  EXPECT_EQ(Value(pod, "TPU_NAME"), "test-group-0");
  EXPECT_EQ(Value(pod, "TPU_WORKER_HOSTNAMES"), "");
  EXPECT_EQ(Value(pod, "TPU_DEVICE_PLUGIN_HOST_IP"),
            R"({"fieldRef":{"fieldPath":"status.hostIP"}})");
  EXPECT_EQ(Value(pod, "TPU_DEVICE_PLUGIN_ADDR"), "$(TPU_DEVICE_PLUGIN_HOST_IP):2112");
  EXPECT_FALSE(pod["spec"].contains("hostname"));
}

TEST(WorkerFix, GivesTheValuesOfKuberaysWebhookOnFourHosts) {
  for (const auto& [replica, host] : {std::pair("0", "0"), {"0", "3"}, {"1", "0"}, {"1", "1"}}) {
    const json pod = Mutated(
        RayPod(replica, host, "tpu-v4-podslice", "2x2x4", json::array({Container("ray", 4)})));
    const std::string name = std::string("test-group-") + replica;
    EXPECT_EQ(Value(pod, "TPU_WORKER_ID"), host);
    EXPECT_EQ(Value(pod, "TPU_NAME"), name);
    EXPECT_EQ(pod["spec"]["hostname"], name + "-" + host);
    EXPECT_EQ(pod["spec"]["subdomain"], "test-cluster-headless");
    const std::string domain = ".test-cluster-headless";
    EXPECT_EQ(Value(pod, "TPU_WORKER_HOSTNAMES"), name + "-0" + domain + "," + name + "-1" +
                                                      domain + "," + name + "-2" + domain + "," +
                                                      name + "-3" + domain);
  }
}

TEST(WorkerFix, GivesSlicesOfRayWhereTheUserSaysHowMany) {
  const json slices = json::array({{{"name", "MEGASCALE_NUM_SLICES"}, {"value", "2"}}});
  const json pod = Mutated(
      RayPod("0", "0", "tpu-v4-podslice", "2x2x4", json::array({Container("ray", 4, slices)})));
  EXPECT_EQ(Value(pod, "MEGASCALE_NUM_SLICES"), "2");
  EXPECT_EQ(Value(pod, "MEGASCALE_SLICE_ID"), "0");
  EXPECT_EQ(Value(pod, "MEGASCALE_COORDINATOR_ADDRESS"), "test-group-0-0.test-cluster-headless");
  EXPECT_EQ(Value(pod, "MEGASCALE_PORT"), "8081");
}

json TwoContainers(json env) {
  return json::array({Container("a", 2, env), Container("b", 2, env)});
}

TEST(WorkerFix, NumbersTheContainersOfTpu7x) {
  const json slices = json::array({{{"name", "MEGASCALE_NUM_SLICES"}, {"value", "2"}}});
  const json pod = Mutated(RayPod("0", "0", "tpu7x", "2x2x2", TwoContainers(slices)));
  const std::string a = "test-group-0-0.test-cluster-headless:";
  const std::string b = "test-group-0-1.test-cluster-headless:";
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID", 1), "1");
  EXPECT_EQ(Value(pod, "TPU_PROCESS_PORT", 1), "8472");
  EXPECT_EQ(Value(pod, "TPU_PROCESS_ADDRESSES", 1),
            a + "8471," + a + "8472," + b + "8471," + b + "8472");
  EXPECT_EQ(Value(pod, "MEGASCALE_PORT", 1), "8082");
  EXPECT_EQ(Value(pod, "MEGASCALE_COORDINATOR_ADDRESS", 1), a + "8081");
  const json other = Mutated(RayPod("0", "1", "tpu7x", "2x2x2", TwoContainers(nullptr)));
  EXPECT_EQ(Value(other, "TPU_WORKER_ID", 0), "2");
  EXPECT_EQ(Value(other, "TPU_WORKER_ID", 1), "3");
}

TEST(WorkerFix, LeavesWhatTheUserOfRayHasSet) {
  const json own = json::array({{{"name", "TPU_PROCESS_PORT"}, {"value", "1"}},
                                {{"name", "TPU_PROCESS_ADDRESSES"}, {"value", "mine:1"}}});
  const json pod = Mutated(RayPod("0", "0", "tpu7x", "2x2x2", TwoContainers(own)));
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID", 1), "1");
  EXPECT_EQ(Value(pod, "TPU_PROCESS_PORT", 1), "1");
  EXPECT_EQ(Value(pod, "TPU_PROCESS_ADDRESSES", 1), "mine:1");
}

TEST(WorkerFix, GivesAStatefulSetTheNamesOfTheSlice) {
  json pod = StatefulPod(6, "tpu-v6e-slice", "4x4", json::array({Container("jax", 4)}));
  pod["spec"]["initContainers"] = json::array({Container("setup", 4), {{"name", "cpu"}}});
  pod = Mutated(pod);
  for (const char* list : {"containers", "initContainers"}) {
    EXPECT_EQ(Value(pod, "TPU_WORKER_ID", 0, list), "2");
    EXPECT_EQ(Value(pod, "TPU_WORKER_HOSTNAMES", 0, list),
              "serve-4.serve,serve-5.serve,serve-6.serve,serve-7.serve");
  }
  EXPECT_FALSE(pod["spec"]["initContainers"][1].contains("env"));
}

TEST(WorkerFix, CountsTheHostsOfASubSlice) {
  json pod = StatefulPod(3, "tpu-v6e-slice", "4x4", json::array({Container("jax", 4)}));
  pod["metadata"]["annotations"]["cloud.google.com/gke-tpu-slice-topology"] = "2x4";
  pod = Mutated(pod);
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID"), "1");
  EXPECT_EQ(Value(pod, "TPU_WORKER_HOSTNAMES"), "serve-2.serve,serve-3.serve");
}

json JobSetPod(json env) {
  json pod = PodOf("batch/v1", "Job",
                   {{"jobset.sigs.k8s.io/jobset-name", "ms"},
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

TEST(WorkerFix, GivesAJobSetItsSlices) {
  const json pod = Mutated(JobSetPod(nullptr), kSelfManaged);
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID"), "2");
  EXPECT_EQ(Value(pod, "TPU_WORKER_HOSTNAMES"), "ms-w-1-0.ms,ms-w-1-1.ms,ms-w-1-2.ms,ms-w-1-3.ms");
  EXPECT_EQ(Value(pod, "MEGASCALE_NUM_SLICES"), "2");
  EXPECT_EQ(Value(pod, "MEGASCALE_SLICE_ID"), "1");
  EXPECT_EQ(Value(pod, "MEGASCALE_COORDINATOR_ADDRESS"), "ms-w-0-0.ms");
}

TEST(WorkerFix, LeavesJobsOnGkeToGke) {
  const json pod = JobSetPod(nullptr);
  EXPECT_EQ(Value(Mutated(pod), "TPU_WORKER_ID"), "");
}

TEST(WorkerFix, LeavesAJobSetThatIsToldByOthers) {
  for (const char* name : {"TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES",
                           "MEGASCALE_SLICE_ID", "TPU_PROCESS_BOUNDS"}) {
    const json env = json::array(
        {{{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", "metadata.name"}}}}}}});
    const json pod = Mutated(JobSetPod(env), kSelfManaged);
    EXPECT_EQ(pod["spec"]["containers"][0]["env"], env) << name;
  }
}

// A value of the user, be it empty, says how many slices there are.
TEST(WorkerFix, AddsNoSlicesWhereTheUserSaysHowMany) {
  const json env = json::array({{{"name", "MEGASCALE_NUM_SLICES"}, {"value", ""}}});
  const json pod = Mutated(JobSetPod(env), kSelfManaged);
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID"), "2");
  EXPECT_EQ(Value(pod, "MEGASCALE_SLICE_ID"), "");
}

TEST(WorkerFix, AddsNothingBesideEnvFrom) {
  json pod = StatefulPod(6, "tpu-v6e-slice", "4x4", json::array({Container("jax", 4)}));
  pod["spec"]["containers"][0]["envFrom"] = json::array({{{"configMapRef", {{"name", "c"}}}}});
  EXPECT_EQ(Value(Mutated(pod), "TPU_WORKER_ID"), "");
  Asker asker;
  EXPECT_NE(asker.Validate(Review(pod)).findings().find("TPU801=audit"), std::string::npos);
}

TEST(WorkerFix, PutsAnEnvInThePlaceOfNullAndKeepsOthers) {
  json pod = StatefulPod(0, "tpu-v6e-slice", "4x4", json::array({Container("jax", 4)}));
  pod["spec"]["containers"][0]["env"] = nullptr;
  EXPECT_EQ(Value(Mutated(pod), "TPU_WORKER_ID"), "0");
  const json mine = {{"name", "A"}, {"value", "b"}};
  pod["spec"]["containers"][0]["env"] = json::array({mine});
  const json after = Mutated(pod);
  EXPECT_EQ(after["spec"]["containers"][0]["env"][0], mine);
  EXPECT_EQ(Value(after, "TPU_WORKER_ID"), "0");
}

TEST(WorkerFix, CanBeOffInANamespace) {
  const json pod = StatefulPod(6, "tpu-v6e-slice", "4x4", json::array({Container("jax", 4)}));
  EXPECT_EQ(Value(Mutated(pod, {}, "fixes: {TPU801: false}"), "TPU_WORKER_ID"), "");
  EXPECT_EQ(Value(Mutated(pod, {}, "fixes: {TPU801: true}"), "TPU_WORKER_ID"), "2");
}

// Linux starts no process with a variable of 128 KiB or more.
TEST(WorkerFix, IsRightOrAFindingOn2304Hosts) {
  const json one = StatefulPod(2303, "tpu7x", "16x16x36", json::array({Container("jax", 4)}));
  const json told = Mutated(one);
  EXPECT_EQ(Value(told, "TPU_WORKER_ID"), "2303");
  const std::string names = Value(told, "TPU_WORKER_HOSTNAMES");
  EXPECT_EQ(std::count(names.begin(), names.end(), ','), 2303);
  EXPECT_TRUE(names.ends_with(",serve-2303.serve"));
  json two = StatefulPod(2303, "tpu7x", "16x16x36", TwoContainers(nullptr));
  two["spec"]["subdomain"] = std::string(40, 's');
  EXPECT_EQ(Value(Mutated(two), "TPU_WORKER_ID"), "");
  Asker asker;
  EXPECT_NE(asker.Validate(Review(two)).findings().find("TPU801=audit"), std::string::npos);
}

}  // namespace
}  // namespace tpu_admission::admission
