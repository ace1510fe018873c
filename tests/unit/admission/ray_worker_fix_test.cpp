// What workers of Ray are told: the mutate rows of kuberay-tpu-webhook's own tests (at ef658db),
// from the labels that KubeRay 1.6 writes, and what only Ray's pods get.
#include <gtest/gtest.h>

#include "support/case_name.h"
#include "unit/admission/worker_pods.h"

namespace tpu_admission::admission::ray_worker_fix_test {
namespace {

using nlohmann::json;

std::string Names(const std::string& replica, int hosts) {
  std::string names;
  for (int i = 0; i < hosts; ++i) {
    names += (i > 0 ? "," : "") + std::string("test-group-") + replica + "-" + std::to_string(i) +
             ".test-cluster-headless";
  }
  return names;
}

json Slices(const std::string& number) {
  return json::array({{{"name", "MEGASCALE_NUM_SLICES"}, {"value", number}}});
}
const json kOwnAddresses = json::array({{{"name", "TPU_PROCESS_PORT"}, {"value", "9999"}},
                                        {{"name", "TPU_PROCESS_ADDRESSES"}, {"value", "mine:1"}}});

json OneHost() {
  return RayPod("0", "", "tpu-v4-podslice", "2x2x1", json::array({Container("r", 4)}));
}
json FourHosts(const std::string& replica, const std::string& host, json env = nullptr) {
  return RayPod(replica, host, "tpu-v4-podslice", "2x2x4",
                json::array({Container("r", 4, std::move(env))}));
}
json Ironwood(json env) {
  return RayPod("0", "0", "tpu7x", "2x2x2", TwoContainers(std::move(env)));
}

const std::string kAddresses =
    "test-group-0-0.test-cluster-headless:8471,test-group-0-0.test-cluster-headless:8472,"
    "test-group-0-1.test-cluster-headless:8471,test-group-0-1.test-cluster-headless:8472";

struct Row {
  std::string name;  // as in that webhook's table
  json pod;
  json told;  // of the last container: all that is set but what the user wrote; null: no patch
  std::string hostname = {};
};

class RowsOfKuberaysWebhook : public testing::TestWithParam<Row> {};

TEST_P(RowsOfKuberaysWebhook, AreWhatWeGiveOrBetter) {
  const Row& row = GetParam();
  const json told = Mutated(row.pod);
  const std::size_t last = told["spec"]["containers"].size() - 1;
  if (row.told.is_null()) {
    EXPECT_FALSE(told.dump().find("TPU_WORKER") != std::string::npos) << told;
    return;
  }
  json device = {{"TPU_DEVICE_PLUGIN_HOST_IP", R"({"fieldRef":{"fieldPath":"status.hostIP"}})"},
                 {"TPU_DEVICE_PLUGIN_ADDR", "$(TPU_DEVICE_PLUGIN_HOST_IP):2112"}};
  device.update(row.told);
  std::size_t count = 0;
  for (const auto& [name, value] : device.items()) {
    EXPECT_EQ(Value(told, name, last), value.get<std::string>()) << name;
  }
  for (const json& variable : told["spec"]["containers"][last]["env"]) {
    count += variable["name"] == "MEGASCALE_NUM_SLICES" ? 0U : 1U;
  }
  EXPECT_EQ(count, device.size()) << told["spec"]["containers"][last]["env"];
  EXPECT_EQ(told["spec"].value("hostname", ""), row.hostname);
  EXPECT_EQ(told["spec"].value("subdomain", ""),
            row.hostname.empty() ? "" : "test-cluster-headless");
}

json Told(const std::string& replica, const std::string& host, int hosts) {
  json told = {{"TPU_WORKER_ID", host}, {"TPU_NAME", "test-group-" + replica}};
  if (hosts > 1) told["TPU_WORKER_HOSTNAMES"] = Names(replica, hosts);
  return told;
}
json And(json told, const json& more) {
  told.update(more);
  return told;
}

const json kNothing = nullptr;
const json kProcess = {{"TPU_PROCESS_ADDRESSES", kAddresses}, {"TPU_PROCESS_PORT", "8472"}};

INSTANTIATE_TEST_SUITE_P(
    Rows, RowsOfKuberaysWebhook,
    testing::Values(
        Row{"M1_NoChips", With(OneHost(), "/spec/containers", json::array({{{"name", "cpu"}}})),
            kNothing},
        // There an error, which the user reads as a refusal; /mutate never refuses.
        Row{"M2_NoCluster", Without(FourHosts("0", "0"), "/metadata/labels/ray.io~1cluster"),
            kNothing},
        Row{"M3_NoGroup", Without(FourHosts("0", "0"), "/metadata/labels/ray.io~1group"), kNothing},
        Row{"M4_NoContainers", With(OneHost(), "/spec/containers", json::array()), kNothing},
        Row{"M5_NoTopology",
            With(FourHosts("0", "0"), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", ""),
            kNothing},
        // Without the label replicaIndex, which it leaves out too where KubeRay gives an index.
        Row{"M6_OneHost", OneHost(), Told("0", "0", 1)},
        Row{"M7_FirstOfFour", FourHosts("0", "0"), Told("0", "0", 4), "test-group-0-0"},
        Row{"M8_LastOfFour", FourHosts("0", "3"), Told("0", "3", 4), "test-group-0-3"},
        Row{"M9_FirstOfTheSecond", FourHosts("1", "0"), Told("1", "0", 4), "test-group-1-0"},
        Row{"M10_SecondOfTheSecond", FourHosts("1", "1"), Told("1", "1", 4), "test-group-1-1"},
        Row{"M11_TwoSlices", FourHosts("0", "0", Slices("2")),
            And(Told("0", "0", 4),
                {{"MEGASCALE_SLICE_ID", "0"},
                 {"MEGASCALE_COORDINATOR_ADDRESS", "test-group-0-0.test-cluster-headless"},
                 {"MEGASCALE_PORT", "8081"}}),
            "test-group-0-0"},
        Row{"M12_TwoContainers", Ironwood(nullptr), And(Told("0", "1", 2), kProcess),
            "test-group-0-0"},
        Row{"M13_AddressesOfTheUser", Ironwood(kOwnAddresses),
            And(Told("0", "1", 2),
                {{"TPU_PROCESS_ADDRESSES", "mine:1"}, {"TPU_PROCESS_PORT", "9999"}}),
            "test-group-0-0"},
        Row{"M14_TwoContainersTwoSlices", Ironwood(Slices("2")),
            And(And(Told("0", "1", 2), kProcess),
                {{"MEGASCALE_SLICE_ID", "0"},
                 {"MEGASCALE_COORDINATOR_ADDRESS", "test-group-0-0.test-cluster-headless:8081"},
                 {"MEGASCALE_PORT", "8082"}}),
            "test-group-0-0"},
        // Of its newer state: 4x4 of which the annotation cuts 2x4.
        Row{"SubSlice",
            With(RayPod("0", "1", "tpu-v6e-slice", "4x4", json::array({Container("r", 4)})),
                 "/metadata/annotations/cloud.google.com~1gke-tpu-slice-topology", "2x4"),
            Told("0", "1", 2), "test-group-0-1"}),
    CaseName());

// There the name is cut to its last 50 characters, which KubeRay 1.4 and later do not do.
TEST(RayWorkerFix, GivesTheWholeNameOfTheService) {
  const std::string cluster(48, 'c');
  const json pod = Mutated(With(FourHosts("0", "0"), "/metadata/labels/ray.io~1cluster", cluster));
  EXPECT_EQ(pod["spec"]["subdomain"], cluster + "-headless");
}

constexpr const char* kLocalhost = "fixes: {TPU807: true}";

json Local(const std::string& id) {
  return json::array({{{"name", "TPU_WORKER_ID"}, {"value", id}},
                      {{"name", "TPU_WORKER_HOSTNAMES"}, {"value", "localhost"}}});
}

constexpr const char* kAffinity = "fixes: {TPU806: true}";

json MultiHostRayPod() {
  json pod = RayPod("0", "3", "tpu-v4-podslice", "2x2x4", json::array({Container("ray", 4)}));
  pod["metadata"]["labels"]["ray.io/worker-group-replica-name"] = "test-group-x7k2p";
  return pod;
}

const std::string kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

// What kuberay-tpu-webhook does by appending a second entry of the name.
TEST(RayWorkerFix, PutsNamesInThePlaceOfGkesDefaultIfAsked) {
  const json pod =
      RayPod("1", "3", "tpu-v4-podslice", "2x2x4", json::array({Container("ray", 4, Local("0"))}));
  EXPECT_EQ(Value(Mutated(pod), "TPU_WORKER_HOSTNAMES"), "localhost");
  const json told = Mutated(pod, {}, kLocalhost);
  EXPECT_EQ(Value(told, "TPU_WORKER_ID"), "3");
  EXPECT_TRUE(Value(told, "TPU_WORKER_HOSTNAMES").starts_with("test-group-1-0.test-cluster-h"));
  EXPECT_EQ(told["spec"]["hostname"], "test-group-1-3");
  EXPECT_EQ(told["spec"]["containers"][0]["env"][1]["name"], "TPU_WORKER_HOSTNAMES");
}

TEST(RayWorkerFix, KeepsANumberThatIsNotGkesDefault) {
  const json pod =
      RayPod("1", "3", "tpu-v4-podslice", "2x2x4", json::array({Container("ray", 4, Local("7"))}));
  EXPECT_EQ(Value(Mutated(pod, {}, kLocalhost), "TPU_WORKER_ID"), "7");
}

TEST(RayWorkerFix, ReplacesGkesDefaultsOfBothContainers) {
  json containers = json::array({Container("a", 2, Local("0")), Container("b", 2, Local("1"))});
  for (json& container : containers) {
    container["env"].push_back({{"name", "TPU_PROCESS_ADDRESSES"}, {"value", "localhost:8471"}});
  }
  const json pod = Mutated(RayPod("0", "1", "tpu7x", "2x2x2", containers), {}, kLocalhost);
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID", 0), "2");
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID", 1), "3");
  EXPECT_TRUE(Value(pod, "TPU_PROCESS_ADDRESSES", 1).starts_with("test-group-0-0."));
}

TEST(RayWorkerFix, KeepsAReplicaInOneNodePoolIfAsked) {
  EXPECT_FALSE(Mutated(MultiHostRayPod())["spec"].contains("affinity"));
  const json affinity = Mutated(MultiHostRayPod(), {}, kAffinity)["spec"]["affinity"];
  const json& with = affinity["podAffinity"][kRequired];
  ASSERT_EQ(with.size(), 1U);
  EXPECT_EQ(with[0]["topologyKey"], "cloud.google.com/gke-nodepool");
  EXPECT_EQ(with[0]["labelSelector"]["matchExpressions"][0],
            json({{"key", "ray.io/worker-group-replica-name"},
                  {"operator", "In"},
                  {"values", {"test-group-x7k2p"}}}));
  EXPECT_EQ(affinity["podAntiAffinity"][kRequired].size(), 1U);
}

TEST(RayWorkerFix, AddsAWholeAffinityAtOnce) {
  Asker asker({.policy = kAffinity, .docs_url = "", .cluster = {}});
  const Answer answer = asker.Mutate(Review(MultiHostRayPod()));
  std::size_t operations = 0;
  for (const json& operation : answer.patch()) {
    operations += operation["path"].get<std::string>().starts_with("/spec/affinity") ? 1U : 0U;
  }
  EXPECT_EQ(operations, 1U) << answer.patch();
}

TEST(RayWorkerFix, IsNamedOnceInTheAuditLog) {
  Asker asker({.policy = kAffinity, .docs_url = "", .cluster = {}});
  const Answer answer = asker.Mutate(Review(MultiHostRayPod()));
  const std::string patched = answer.response()["auditAnnotations"]["patched"];
  EXPECT_EQ(patched.find("TPU801"), patched.rfind("TPU801")) << patched;
  EXPECT_NE(patched.find("TPU801=audit"), std::string::npos) << patched;
}

TEST(RayWorkerFix, MergesTheAffinityWithTheUsers) {
  const json term = {{"topologyKey", "topology.kubernetes.io/zone"},
                     {"labelSelector", {{"matchLabels", {{"a", "b"}}}}}};
  for (const json& own : {json(nullptr), json::object(), json({{"podAffinity", nullptr}}),
                          json({{"podAffinity", {{kRequired, nullptr}}}}),
                          json({{"podAffinity", {{kRequired, json::array({term})}}},
                                {"podAntiAffinity", {{kRequired, json::array({term})}}},
                                {"nodeAffinity", json::object()}})}) {
    json pod = MultiHostRayPod();
    pod["spec"]["affinity"] = own;
    const json affinity = Mutated(pod, {}, kAffinity)["spec"]["affinity"];
    const std::size_t terms = own.dump().find("zone") == std::string::npos ? 1U : 2U;
    for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
      ASSERT_EQ(affinity[kind][kRequired].size(), terms) << own;
      if (terms == 2) {
        EXPECT_EQ(affinity[kind][kRequired][0], term);
      }
    }
    EXPECT_EQ(affinity.contains("nodeAffinity"), terms == 2);
  }
}

// Only callers that bypass the API server send it; found by fuzzing.
TEST(RayWorkerFix, LeavesAloneAnAffinityOfAnotherType) {
  for (const char* text : {R"({"podAffinity": "a"})", R"({"podAntiAffinity": [1]})"}) {
    json pod = MultiHostRayPod();
    pod["spec"]["affinity"] = json::parse(text);
    EXPECT_EQ(Mutated(pod, {}, kAffinity)["spec"]["affinity"], json::parse(text));
  }
}

// What kuberay-tpu-webhook has set before us, as at ef658db.
TEST(RayWorkerFix, DoublesNothingBesideKuberaysWebhook) {
  json pod = MultiHostRayPod();
  pod["spec"]["hostname"] = "test-group-0-3";
  pod["spec"]["subdomain"] = "test-cluster-headless";
  pod["spec"]["affinity"]["podAffinity"][kRequired] =
      json::array({{{"topologyKey", "cloud.google.com/gke-nodepool"}}});
  json& env = pod["spec"]["containers"][0]["env"];
  const auto set = [&](const char* name, const std::string& value) {
    env.push_back({{"name", name}, {"value", value}});
  };
  set("TPU_WORKER_HOSTNAMES",
      "test-group-0-0.test-cluster-headless,test-group-0-1.test-cluster-headless,"
      "test-group-0-2.test-cluster-headless,test-group-0-3.test-cluster-headless");
  set("TPU_WORKER_ID", "3");
  set("TPU_NAME", "test-group-0");
  env.push_back({{"name", "TPU_DEVICE_PLUGIN_HOST_IP"},
                 {"valueFrom", {{"fieldRef", {{"fieldPath", "status.hostIP"}}}}}});
  set("TPU_DEVICE_PLUGIN_ADDR", "$(TPU_DEVICE_PLUGIN_HOST_IP):2112");
  EXPECT_EQ(Mutated(pod, {}, "fixes: {TPU806: true, TPU807: true}"), pod);
  Asker asker;
  EXPECT_EQ(asker.Validate(Review(pod)).findings().find("TPU80"), std::string::npos);
}

}  // namespace
}  // namespace tpu_admission::admission::ray_worker_fix_test
