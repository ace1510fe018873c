// What other TPU tools deny or accept of whole workloads, case by case in the numbering of our
// notes: V and K are Ray's webhooks, C a generator of clusters, X a slice controller, L
// LeaderWorkerSet, D the device plugin and its DRA twin, G GKE itself. Where DESIGN decides
// otherwise, a case says so.
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::peer_workloads_test {
namespace {

using nlohmann::json;

const std::string kAccelerator = "cloud.google.com/gke-tpu-accelerator";
const std::string kTopology = "cloud.google.com/gke-tpu-topology";

// The faults alone: without advice about CPU and memory, and without audit.
std::string Faults(const Answer& answer) {
  std::istringstream all(answer.findings());
  std::string faults;
  for (std::string one; all >> one;) {
    if (one.starts_with("TPU6") || one.ends_with("=audit")) continue;
    faults += (faults.empty() ? "" : " ") + one;
  }
  return faults;
}

struct Pods {
  json chips = 4;  // null: asks for none
  json topology = "2x2x1";
  json accelerator = "tpu-v4-podslice";
};

json Template(const Pods& pods) {
  json container = {{"name", "worker"}, {"image", "example.com/worker"}};
  if (!pods.chips.is_null()) {
    container["resources"] = {{"limits", {{"google.com/tpu", pods.chips}}},
                              {"requests", {{"google.com/tpu", pods.chips}}}};
  }
  json spec = {{"containers", {container}}};
  if (!pods.accelerator.is_null()) spec["nodeSelector"][kAccelerator] = pods.accelerator;
  if (!pods.topology.is_null()) spec["nodeSelector"][kTopology] = pods.topology;
  return {{"spec", spec}};
}

struct Group {
  json hosts = 1;  // null: not written
  Pods pods = {};
  int replicas = 1;
};

json RayCluster(const std::vector<Group>& groups) {
  json cluster = {{"apiVersion", "ray.io/v1"},
                  {"kind", "RayCluster"},
                  {"metadata", {{"name", "ray"}, {"namespace", "default"}}}};
  cluster["spec"]["headGroupSpec"]["template"]["spec"]["containers"] =
      json::array({{{"name", "head"}, {"image", "example.com/ray"}}});
  for (const Group& group : groups) {
    json worker = {{"groupName", "group-" + std::to_string(cluster["spec"].size())},
                   {"replicas", group.replicas},
                   {"template", Template(group.pods)}};
    if (!group.hosts.is_null()) worker["numOfHosts"] = group.hosts;
    cluster["spec"]["workerGroupSpecs"].push_back(worker);
  }
  return cluster;
}

struct RayCase {
  std::string name;
  std::vector<Group> groups;
  std::string faults;
};

class RayGroups : public testing::TestWithParam<RayCase> {};

TEST_P(RayGroups, GetTheVerdict) {
  Asker asker;
  const Answer answer = asker.Validate(Review(RayCluster(GetParam().groups)));
  ASSERT_TRUE(answer.valid());
  EXPECT_EQ(Faults(answer), GetParam().faults);
  EXPECT_EQ(answer.allowed(), GetParam().faults.find("=deny") == std::string::npos);
}

const std::string kV5e = "tpu-v5-lite-podslice";
const std::string kV6e = "tpu-v6e-slice";

INSTANTIATE_TEST_SUITE_P(
    V, RayGroups,
    testing::Values(
        RayCase{"V1_NoHosts", {{0}}, "TPU401=deny"},
        RayCase{"V3_EmptyTopology", {{1, {4, ""}}}, "TPU201=deny"},
        RayCase{"V4_TooFewHosts", {{1, {4, "2x2x2"}}}, "TPU401=deny"},
        RayCase{"V5_OneHost", {{1}}, ""}, RayCase{"V6_FourHosts", {{4, {4, "2x2x4"}}}, ""},
        RayCase{"V7_OneLargeHost", {{1, {8, "2x4", "tpu-v5-lite-device"}}}, ""},
        // The peer lets it in; GKE has no such host.
        RayCase{"V8_TwoHostsOfADevice",
                {{2, {4, "2x4", "tpu-v5-lite-device"}}},
                "TPU301=deny TPU401=deny"},
        RayCase{"V9_NoTpus", {{1, {nullptr, nullptr, nullptr}}}, ""},
        RayCase{"V9_ZeroTpus", {{1, {"0", nullptr, nullptr}}}, ""},
        RayCase{"V10_TooManyHosts", {{2}}, "TPU401=deny"},
        RayCase{"V11_ReplicasAreNoHosts_1", {{1, {}, 4}}, ""},
        RayCase{"V11_ReplicasAreNoHosts_4", {{4, {4, "2x2x4"}, 4}}, ""},
        RayCase{
            "V12_BesideAGpuGroup", {{4, {4, "2x2x4"}, 4}, {1, {nullptr, nullptr, nullptr}}}, ""},
        RayCase{"V13_BothBadGroups", {{2}, {1, {4, "2x2x2"}}}, "TPU401=deny TPU401=deny"},
        RayCase{"V14_NotDivisible", {{1, {3, "2x2", kV6e}}}, "TPU301=deny"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    K, RayGroups,
    testing::Values(RayCase{"K1_NoTpusNoSelectors", {{1, {nullptr, nullptr, nullptr}}}, ""},
                    // Of a template a warning: GKE refuses its pods.
                    RayCase{"K2_NoAccelerator", {{1, {1, "1x1", nullptr}}}, "TPU102=warn"},
                    RayCase{"K3_NoTopology", {{1, {4, nullptr, kV6e}}}, "TPU103=warn"},
                    RayCase{"K4_NoHosts", {{0, {4, "4x4", kV6e}}}, "TPU401=deny"},
                    RayCase{"K8_V5eOneChip", {{1, {1, "1x1", kV5e}}}, ""},
                    RayCase{"K8_V5eEight", {{1, {8, "2x4", kV5e}}}, ""},
                    RayCase{"K8_V5eTwoHosts", {{2, {4, "2x4", kV5e}}}, ""},
                    RayCase{"K8_V6e", {{4, {4, "4x4", kV6e}}}, ""},
                    RayCase{"K8_V6eLarge", {{64, {4, "16x16", kV6e}}}, ""},
                    RayCase{"K8_V4", {{1, {4, "2x2x1"}}}, ""},
                    RayCase{"K8_V4Two", {{2, {4, "2x2x2"}}}, ""},
                    RayCase{"K8_Ironwood", {{16, {4, "4x4x4", "tpu7x"}}}, ""},
                    RayCase{"K8_IronwoodTwoCubes", {{32, {4, "4x4x8", "tpu7x"}}}, ""},
                    RayCase{"K8_IronwoodLarge", {{1024, {4, "16x16x16", "tpu7x"}}}, ""},
                    RayCase{"K8_IronwoodLargest", {{2304, {4, "16x16x36", "tpu7x"}}}, ""},
                    RayCase{"K8_V3Device", {{1, {4, "2x2", "tpu-v3-device"}}}, ""},
                    RayCase{"K8_HostsNotWritten", {{nullptr, {1, "1x1", kV5e}}}, ""},
                    RayCase{"K9_OneOfFourHosts", {{1, {4, "4x4", kV6e}}}, "TPU401=deny"},
                    RayCase{"K10_FourChipsOfOne", {{1, {4, "1x1", kV5e}}}, "TPU301=deny"}),
    CaseName());

TEST(PeerWorkloads, V2GroupWithoutContainersAsksForNoTpus) {
  Asker asker;
  const json cluster =
      Without(RayCluster({{1}}), "/spec/workerGroupSpecs/0/template/spec/containers");
  EXPECT_EQ(asker.Validate(Review(cluster)).findings(), "TPU109=warn")
      << "it goes to TPU nodes and asks for none";
}

TEST(PeerWorkloads, V13EachBadGroupIsNamed) {
  Asker asker;
  const std::string message =
      asker.Validate(Review(RayCluster({{2}, {1, {4, "2x2x2"}}}))).message();
  EXPECT_NE(message.find("spec.workerGroupSpecs[0].numOfHosts"), message.npos) << message;
  EXPECT_NE(message.find("spec.workerGroupSpecs[1].numOfHosts"), message.npos) << message;
}

TEST(PeerWorkloads, V14ChipsOfTwoContainersDoNotCancelOut) {
  Asker asker;
  json cluster = RayCluster({{1, {4, "2x2", kV6e}}});
  json& containers = cluster["spec"]["workerGroupSpecs"][0]["template"]["spec"]["containers"];
  json other = containers[0];
  other["name"] = "other";
  for (const char* list : {"limits", "requests"}) other["resources"][list]["google.com/tpu"] = -4;
  containers.push_back(other);
  EXPECT_NE(Faults(asker.Validate(Review(cluster))).find("TPU304=deny"), std::string::npos);
}

TEST(PeerWorkloads, V14MoreChipsThanSixteenBitsOrThirtyTwo) {
  Asker asker;
  for (const json& chips : {json(4294967296), json("4294967296"), json(65540), json("9e18"),
                            json("9223372036854775808")}) {
    const Answer answer = asker.Validate(Review(RayCluster({{1, {chips, "2x2", kV6e}}})));
    ASSERT_TRUE(answer.valid()) << chips;
    EXPECT_FALSE(answer.allowed()) << chips;
  }
}

TEST(PeerWorkloads, V16UpdateOfTheHostsIsChecked) {
  Asker asker;
  const json before = RayCluster({{4, {4, "2x2x4"}}});
  const json after = RayCluster({{2, {4, "2x2x4"}}});
  EXPECT_FALSE(asker.Validate(Review(after).Update(before)).allowed());
  const json grown = RayCluster({{4, {4, "2x2x4"}, 3}});
  EXPECT_EQ(Faults(asker.Validate(Review(grown).Update(before))), "");
}

json Job(const Pods& pods, int parallelism) {
  json job = {{"apiVersion", "batch/v1"},
              {"kind", "Job"},
              {"metadata", {{"name", "train"}, {"namespace", "default"}}},
              {"spec",
               {{"parallelism", parallelism},
                {"completions", parallelism},
                {"completionMode", "Indexed"},
                {"template", Template(pods)}}}};
  job["spec"]["template"]["spec"]["subdomain"] = "train";
  return job;
}

json JobSet(const Pods& pods, int parallelism) {
  const json spec = {
      {"parallelism", parallelism}, {"completions", parallelism}, {"template", Template(pods)}};
  return {
      {"apiVersion", "jobset.x-k8s.io/v1alpha2"},
      {"kind", "JobSet"},
      {"metadata", {{"name", "train"}, {"namespace", "default"}}},
      {"spec",
       {{"replicatedJobs",
         json::array({{{"name", "workers"}, {"replicas", 1}, {"template", {{"spec", spec}}}}})}}}};
}

struct HostCase {
  std::string name;
  Pods pods = {};
  int hosts;  // 0: the topology is none
};

class HostCounts : public testing::TestWithParam<HostCase> {};

TEST_P(HostCounts, AreTheOnesThatPass) {
  Asker asker;
  const auto& [name, pods, hosts] = GetParam();
  if (hosts == 0) {
    EXPECT_FALSE(asker.Validate(Review(Job(pods, 1))).allowed());
    return;
  }
  for (const auto& make : {Job, JobSet}) {
    EXPECT_EQ(Faults(asker.Validate(Review(make(pods, hosts)))), "");
    if (hosts == 1) continue;
    EXPECT_EQ(Faults(asker.Validate(Review(make(pods, hosts - 1)))), "TPU401=deny");
    EXPECT_EQ(Faults(asker.Validate(Review(make(pods, hosts + 1)))), "TPU401=deny");
  }
}

INSTANTIATE_TEST_SUITE_P(
    C2, HostCounts,
    testing::Values(HostCase{"V4", {4, "4x4x4"}, 16},
                    HostCase{"V5p", {4, "4x4x4", "tpu-v5p-slice"}, 16},
                    HostCase{"Ironwood", {4, "4x4x4", "tpu7x"}, 16},
                    // With 8 chips a host it would be 16; GKE makes multi-host pools of 4 only.
                    HostCase{"V5e", {4, "8x16", kV5e}, 32}, HostCase{"V6eOne", {4, "2x2", kV6e}, 1},
                    HostCase{"NotDivisible", {4, "2x1x1", "tpu-v5p-slice"}, 0},
                    HostCase{"NoNumber", {4, "8x16xfoo", kV5e}, 0}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(X2, HostCounts,
                         testing::Values(HostCase{"Cube", {4, "4x4x4", "tpu7x"}, 16},
                                         HostCase{"TwoCubes", {4, "4x4x8", "tpu7x"}, 32},
                                         HostCase{"TwoHosts", {4, "2x2x2", "tpu7x"}, 2},
                                         HostCase{"EightHosts", {4, "2x4x4", "tpu7x"}, 8},
                                         HostCase{"OneHost", {4, "2x2x1", "tpu7x"}, 1}),
                         CaseName());

// What number of chips leads to which topology.
TEST(PeerWorkloads, C3TopologyOfANumberOfChips) {
  const auto catalog = BuiltInCatalog();
  const auto with_chips = [&](const std::string& label, std::int64_t chips) {
    std::string found;
    for (const tpu::Topology& topology : catalog->FindByLabel(label)->ListedTopologies()) {
      if (topology.chips() == chips) found += topology.Text() + " ";
    }
    return found;
  };
  EXPECT_EQ(with_chips("tpu-v4-podslice", 4), "2x2x1 ") << "v4-8 counts cores";
  EXPECT_EQ(with_chips(kV6e, 1), "1x1 ");
  EXPECT_EQ(with_chips(kV6e, 256), "16x16 ");
  EXPECT_EQ(with_chips("tpu-v4-podslice", 3), "");
}

TEST(PeerWorkloads, X6TheWholeSliceMustBeUsed) {
  Asker asker;
  EXPECT_EQ(Faults(asker.Validate(Review(Job({1, "4x4x4", "tpu7x"}, 16)))), "TPU401=deny");
  EXPECT_EQ(Faults(asker.Validate(Review(Job({1, "4x4x4", "tpu7x"}, 64)))), "");
  const Answer half = asker.Validate(Review(JobSet({4, "4x4x8", "tpu7x"}, 16)));
  EXPECT_EQ(Faults(half), "TPU401=deny");
  EXPECT_NE(half.message().find("128 chips on 32 hosts"), std::string::npos) << half.message();
}

json WithSlice(json object, const std::string& pods, const std::string& topology) {
  return With(std::move(object),
              pods + "/metadata/annotations/cloud.google.com~1gke-tpu-slice-topology", topology);
}

TEST(PeerWorkloads, X7HostsAreThoseOfTheSubSlice) {
  Asker asker;
  const std::string pods = "/spec/replicatedJobs/0/template/spec/template";
  const Pods free{4, nullptr, "tpu7x"};
  EXPECT_EQ(Faults(asker.Validate(Review(WithSlice(JobSet(free, 1), pods, "2x2x1")))),
            "TPU103=warn");
  EXPECT_EQ(Faults(asker.Validate(Review(WithSlice(JobSet(free, 8), pods, "2x4x4")))),
            "TPU103=warn");
  EXPECT_EQ(Faults(asker.Validate(Review(WithSlice(JobSet(free, 7), pods, "2x4x4")))),
            "TPU401=deny TPU103=warn");
}

json LeaderWorkerSet(const Pods& pods, int size) {
  const json group = {{"size", size}, {"workerTemplate", Template(pods)}};
  return {{"apiVersion", "leaderworkerset.x-k8s.io/v1"},
          {"kind", "LeaderWorkerSet"},
          {"metadata", {{"name", "serve"}, {"namespace", "default"}}},
          {"spec", {{"replicas", 1}, {"leaderWorkerTemplate", group}}}};
}

TEST(PeerWorkloads, X8AnnotationsOfALeaderWorkerSet) {
  Asker asker;
  const std::string worker = "/spec/leaderWorkerTemplate/workerTemplate";
  const Pods free{4, nullptr, "tpu7x"};
  const json right = WithSlice(LeaderWorkerSet(free, 8), worker, "2x4x4");
  EXPECT_EQ(Faults(asker.Validate(Review(right))), "TPU103=warn");
  const json wrong = LeaderWorkerSet({4, "4x4", kV6e}, 3);
  EXPECT_FALSE(asker.Validate(Review(wrong)).allowed());
  const json skipped = With(
      wrong, worker + "/metadata/annotations/cloud.google.com~1skip-tpu-webhook-check", "true");
  EXPECT_FALSE(asker.Validate(Review(skipped)).allowed()) << "GKE's own check counts no hosts";
}

json Pod(const Pods& pods) {
  json pod = Template(pods);
  pod.update({{"apiVersion", "v1"}, {"kind", "Pod"}});
  pod["metadata"] = {{"name", "p"}, {"namespace", "default"}};
  return pod;
}

TEST(PeerWorkloads, L9WhereverAPodAsksForTpus) {
  Asker asker;
  const json wrong = Pod({4, "3x3", kV6e});
  EXPECT_NE(Faults(asker.Validate(Review(wrong))), "");
  json requests_only = wrong;
  requests_only["spec"]["containers"][0]["resources"].erase("limits");
  EXPECT_NE(Faults(asker.Validate(Review(requests_only))), "");
  json in_init = wrong;
  in_init["spec"]["initContainers"] = in_init["spec"]["containers"];
  in_init["spec"]["containers"] = json::array({{{"name", "cpu"}}});
  EXPECT_NE(Faults(asker.Validate(Review(in_init))), "");
  json none = wrong;
  none["spec"]["containers"][0].erase("resources");
  none["spec"].erase("nodeSelector");
  EXPECT_EQ(asker.Validate(Review(none)).findings(), "");
}

TEST(PeerWorkloads, D2FewerChipsThanTheHostHas) {
  Asker asker;
  const Answer answer = asker.Validate(Review(Pod({1, "2x2", kV6e})));
  EXPECT_EQ(Faults(answer), "TPU301=deny");
  EXPECT_EQ(Faults(asker.Validate(Review(Pod({1, "2x2x1", "tpu7x"})))), "")
      << "nodes of TPU7x may be shared";
}

json Claim(const json& requests) {
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaim"},
          {"metadata", {{"name", "c"}, {"namespace", "default"}}},
          {"spec", {{"devices", {{"requests", requests}}}}}};
}

TEST(PeerWorkloads, D3OnlyTpusOfAClaimCount) {
  Asker asker;
  const auto request = [](const std::string& device, int count) {
    return json{{"name", "r"}, {"exactly", {{"deviceClassName", device}, {"count", count}}}};
  };
  const json tpus = request("tpu.google.com", 4);
  const json nic = request("net.example.com", 2);
  EXPECT_EQ(Faults(asker.Validate(Review(Claim({tpus, nic})))), "");
  EXPECT_EQ(Faults(asker.Validate(Review(Claim({request("tpu.google.com", 2), nic})))),
            "TPU307=warn")
      << "another device does not make up for a missing TPU";
  EXPECT_EQ(Faults(asker.Validate(Review(Claim(json::array({nic}))))), "");
}

rules::Cluster OnAutopilot() {
  rules::Cluster cluster;
  cluster.platform = rules::Platform::kAutopilot;
  return cluster;
}

TEST(PeerWorkloads, G1OneOfTheTwoLabelsIsNotEnough) {
  Asker standard;
  Asker autopilot({.policy = "", .docs_url = "", .cluster = OnAutopilot()});
  const json no_topology = Pod({4, nullptr, kV6e});
  const json no_accelerator = Pod({4, "2x2", nullptr});
  EXPECT_EQ(Faults(standard.Validate(Review(no_topology))), "TPU103=deny");
  EXPECT_EQ(Faults(standard.Validate(Review(no_accelerator))), "TPU102=deny");
  EXPECT_NE(autopilot.Validate(Review(no_topology)).message().find(kTopology), std::string::npos);
  EXPECT_NE(autopilot.Validate(Review(no_accelerator)).message().find(kAccelerator),
            std::string::npos);
}

json ByAffinity(json pod, const json& topologies) {
  pod["spec"].erase("nodeSelector");
  const json expressions =
      json::array({{{"key", kAccelerator}, {"operator", "In"}, {"values", {kV6e}}},
                   {{"key", kTopology}, {"operator", "In"}, {"values", topologies}}});
  return With(pod,
              "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
              "nodeSelectorTerms",
              json::array({{{"matchExpressions", expressions}}}));
}

TEST(PeerWorkloads, G2LabelsByAffinity) {
  Asker asker;
  const json pod = Pod({4, nullptr, nullptr});
  EXPECT_EQ(Faults(asker.Validate(Review(ByAffinity(pod, {"2x2"})))), "");
  // GKE refuses several values; they are alternatives, so we deny only if none of them can work.
  EXPECT_TRUE(asker.Validate(Review(ByAffinity(pod, {"2x2", "3x3"}))).allowed());
  EXPECT_FALSE(asker.Validate(Review(ByAffinity(pod, {"3x3", "5x5"}))).allowed());
}

TEST(PeerWorkloads, G3PodThatAsksToBeLeftAloneIsStillPatched) {
  Asker asker;
  const json pod = With(Pod({4, nullptr, nullptr}),
                        "/metadata/annotations/cloud.google.com~1skip-tpu-webhook-check", "true");
  EXPECT_TRUE(asker.Validate(Review(pod)).allowed());
  EXPECT_NE(asker.Mutate(Review(pod)).patch().dump().find("/spec/tolerations"), std::string::npos);
}

TEST(PeerWorkloads, G4TolerationOnlyForPodsThatAskForTpus) {
  Asker asker;
  EXPECT_TRUE(asker.Mutate(Review(Pod({nullptr, "2x2", kV6e}))).patch().is_null());
  const std::string patch = asker.Mutate(Review(Pod({4, "2x2", kV6e}))).patch().dump();
  EXPECT_NE(patch.find("google.com/tpu"), patch.npos);
  EXPECT_EQ(patch.find("nvidia"), patch.npos);
}

TEST(PeerWorkloads, G5RequestsAndLimitsAreEqual) {
  Asker autopilot({.policy = "", .docs_url = "", .cluster = OnAutopilot()});
  json pod = Pod({4, "2x2", kV6e});
  EXPECT_EQ(Faults(autopilot.Validate(Review(pod))), "");
  pod["spec"]["containers"][0]["resources"]["requests"]["google.com/tpu"] = 1;
  EXPECT_NE(Faults(autopilot.Validate(Review(pod))).find("TPU302=deny"), std::string::npos);
}

// The API server waits ten seconds at the very most; the largest pod that we judge takes a trifle.
TEST(PeerWorkloads, G6LargestPodIsAnsweredInTime) {
  Asker asker;
  json pod = Pod({4, "3x3", kV6e});
  const json container = pod["spec"]["containers"][0];
  while (pod["spec"]["containers"].size() < 100) pod["spec"]["containers"].push_back(container);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(asker.Validate(Review(pod)).allowed());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

}  // namespace
}  // namespace tpu_admission::admission::peer_workloads_test
