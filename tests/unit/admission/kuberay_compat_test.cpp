// The profile kuberay-compat: cases V1 to V16 of the tests of ai-on-gke/kuberay-tpu-webhook, in our
// own words. What that webhook denies is denied, with its sentences; what it lets in goes in.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::kuberay_compat_test {
namespace {

using nlohmann::json;

const std::string kNotEqual =
    "Failed to validate RayCluster: Number of workers in worker group not equal to specified "
    "topology";
const std::string kNoTopology = "Failed to validate RayCluster: TPU topology not specified";
const std::string kNoHosts = "Failed to validate RayCluster: workerGroupSpec NumOfHosts not set";

json Group(int hosts, const std::string& topology, const std::string& chips,
           const std::string& accelerator = "tpu-v4-podslice") {
  json container = TpuContainer("ray-worker");
  for (const char* list : {"requests", "limits"}) {
    container["resources"][list]["google.com/tpu"] = chips;
  }
  json selector = json::object();
  if (!accelerator.empty()) selector["cloud.google.com/gke-tpu-accelerator"] = accelerator;
  if (!topology.empty()) selector["cloud.google.com/gke-tpu-topology"] = topology;
  return {{"groupName", "workers"},
          {"replicas", 1},
          {"numOfHosts", hosts},
          {"template",
           {{"spec", {{"nodeSelector", selector}, {"containers", json::array({container})}}}}}};
}

// The labels that it lacks, as a chart writes them that has no values for them.
json Empty(json group) {
  json& selector = group["template"]["spec"]["nodeSelector"];
  for (const char* key :
       {"cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"}) {
    if (!selector.contains(key)) selector[key] = "";
  }
  return group;
}

json Cluster(const std::vector<json>& groups) {
  const json head = {{"containers", {{{"name", "ray-head"}}}}};
  return {{"apiVersion", "ray.io/v1"},
          {"kind", "RayCluster"},
          {"metadata", {{"name", "test"}}},
          {"spec",
           {{"headGroupSpec", {{"template", {{"spec", head}}}}}, {"workerGroupSpecs", groups}}}};
}

Answer Ask(const json& object, const std::string& profile = "kuberay-compat") {
  Asker asker({.policy = "", .docs_url = "", .cluster = {}, .profile = profile});
  Answer answer = asker.Validate(Review(object));
  for (JudgedFinding& judged : answer.record.findings) judged.peer_sentence = {};  // dies now
  return answer;
}

struct Denial {
  std::string name;
  std::vector<json> groups;
  std::string begins;
};

class KuberayDenials : public testing::TestWithParam<Denial> {};

TEST_P(KuberayDenials, BeginWithThePeersSentence) {
  const Answer answer = Ask(Cluster(GetParam().groups));
  ASSERT_FALSE(answer.allowed()) << answer.text;
  EXPECT_TRUE(answer.message().starts_with(GetParam().begins)) << answer.message();
  const std::size_t end = answer.message().find('\n');
  EXPECT_LE(end, kFirstLineBytes);
  EXPECT_NE(answer.message().find("RayCluster \"test\" cannot run on TPUs as written: "),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Peer, KuberayDenials,
    testing::Values(
        Denial{"V1NoHosts", {Group(0, "2x2x1", "4")}, kNoHosts},
        Denial{"V3NoTopology", {Group(1, "", "4")}, kNoTopology},
        Denial{"V3EmptyTopology", {Empty(Group(1, "", "4"))}, kNoTopology},
        Denial{"S4SliceWithoutParent",
               {With(Group(2, "", "4", "tpu-v6e-slice"), "/template/metadata",
                     {{"annotations", {{"cloud.google.com/gke-tpu-slice-topology", "2x4"}}}})},
               "Failed to validate RayCluster: must specify parent topology"},
        Denial{"V4TooFewHosts", {Group(1, "2x2x2", "4")}, kNotEqual},
        Denial{"V10TooManyHosts", {Group(2, "2x2x1", "4")}, kNotEqual},
        Denial{"V13SecondGroup", {Group(1, "2x2x1", "4"), Group(3, "2x2x4", "4")}, kNotEqual},
        Denial{"HalfOfAHost", {Group(1, "2x2x1", "2", "tpu7x")}, kNotEqual},
        Denial{"V14ThreeChips", {Group(1, "2x2x1", "3")}, ""},
        Denial{"V15ZeroDimension", {Group(1, "0x4", "4")}, "Failed to validate"},
        Denial{"V15Minus", {Group(1, "-2x2", "4")}, "Failed to validate"},
        Denial{"V15NoLast", {Group(1, "2x", "4")}, "Failed to validate"},
        Denial{"V15NoFirst", {Group(1, "x2", "4")}, "Failed to validate"},
        Denial{"V15Space", {Group(1, " 2x4", "4")}, "Failed to validate"},
        Denial{"V15Exponent", {Group(1, "1e1x2", "4")}, "Failed to validate"},
        Denial{"V15FourDimensions", {Group(1, "2x2x2x2", "4")}, "Failed to validate"},
        Denial{"K2NoAccelerator", {Group(1, "2x2x1", "4", "")}, ""},
        Denial{"K3NoTopology", {Group(1, "", "4")}, kNoTopology},
        Denial{"K4NoHosts", {Group(0, "2x2x1", "4")}, kNoHosts},
        Denial{"K6NoSuchTopology", {Group(1, "3x3", "4", "tpu-v6e-slice")}, "Failed to validate"},
        Denial{"K7TwoDimensions", {Group(1, "2x2", "4")}, "Failed to validate"},
        Denial{"K9OneHostOfFour", {Group(1, "4x4", "4", "tpu-v6e-slice")}, kNotEqual},
        Denial{"K10FourChipsOfOne", {Group(1, "1x1", "4", "tpu-v5-lite-podslice")}, ""},
        Denial{"K11Order", {Group(32, "8x4x4", "4", "tpu7x")}, "Failed to validate"},
        Denial{"K12TooLarge", {Group(2560, "16x16x40", "4", "tpu7x")}, "Failed to validate"}),
    CaseName());

struct Pass {
  std::string name;
  std::vector<json> groups;
  std::string findings;  // those that warn
};

class KuberayPasses : public testing::TestWithParam<Pass> {};

TEST_P(KuberayPasses, AreAllowed) {
  const Answer answer = Ask(Cluster(GetParam().groups));
  EXPECT_TRUE(answer.allowed()) << answer.text;
  EXPECT_EQ(answer.warnings().empty(), GetParam().findings.empty()) << answer.text;
  EXPECT_TRUE(answer.findings().starts_with(GetParam().findings)) << answer.findings();
}

json GpuGroup() {
  json group = Group(1, "", "0", "");
  group["template"]["spec"]["containers"][0]["resources"] = {{"limits", {{"nvidia.com/gpu", 4}}}};
  return group;
}

INSTANTIATE_TEST_SUITE_P(
    Peer, KuberayPasses,
    testing::Values(Pass{"V5OneHost", {Group(1, "2x2x1", "4")}, ""},
                    Pass{"V6FourHosts", {Group(4, "2x2x4", "4")}, ""},
                    Pass{"V7DeviceOfOneHost", {Group(1, "2x4", "8", "tpu-v5-lite-device")}, ""},
                    Pass{"V8DeviceOfTwoHosts",
                         {Group(2, "2x4", "4", "tpu-v5-lite-device")},
                         "TPU301=warn TPU401=warn"},
                    Pass{"V9NoChips", {Group(1, "", "0", "")}, ""},
                    Pass{"V9EmptyLabels", {Empty(Group(1, "", "0", ""))}, "TPU201=warn"},
                    Pass{"V11SeveralGroups",
                         {Group(1, "2x2x1", "4"), Group(4, "2x2x4", "4"), Group(4, "2x2x4", "4")},
                         ""},
                    Pass{"V12WithGpus", {Group(4, "2x2x4", "4"), GpuGroup()}, ""},
                    Pass{"K5UnknownAccelerator", {Group(1, "1x1", "1", "tpu-v2")}, "TPU101=warn"},
                    Pass{"M12MachineTypeAsLabel",
                         {Group(2, "2x2x2", "4", "tpu7x-standard-4t")},
                         "TPU101=warn"}),
    CaseName());

const std::string kAccelerator = "/spec/nodeSelector/cloud.google.com~1gke-tpu-accelerator";
const std::string kTopology = "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology";

json PodOn(const std::string& accelerator, const std::string& topology) {
  return With(With(TpuPod(), kAccelerator, accelerator), kTopology, topology);
}

json JobOn(int pods, const std::string& accelerator, const std::string& topology) {
  json job = With(With(TpuJob(), "/spec/parallelism", pods), "/spec/completions", pods);
  job["spec"]["template"]["spec"]["nodeSelector"] = {
      {"cloud.google.com/gke-tpu-accelerator", accelerator},
      {"cloud.google.com/gke-tpu-topology", topology}};
  return job;
}

// In the place of the label of the topology.
json PodWithTopologies(const std::vector<std::string>& topologies) {
  json pod = Without(TpuPod(), kTopology);
  pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
     ["nodeSelectorTerms"][0]["matchExpressions"] = {{{"key", "cloud.google.com/gke-tpu-topology"},
                                                      {"operator", "In"},
                                                      {"values", topologies}}};
  return pod;
}

json RayPod(const std::map<std::string, std::string>& labels) {
  json pod = TpuPod();
  pod["metadata"]["labels"] = labels;
  return pod;
}

json Sliced(json object, const std::string& metadata, const std::string& slice) {
  object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "queue";
  return With(std::move(object), metadata,
              {{"annotations", {{"cloud.google.com/gke-tpu-slice-topology", slice}}}});
}

json WithoutAccelerator(json group) {
  group["template"]["spec"]["nodeSelector"].erase("cloud.google.com/gke-tpu-accelerator");
  return group;
}

json LeaderWorkerSet(const std::string& slice) {
  json set = {{"apiVersion", "leaderworkerset.x-k8s.io/v1"},
              {"kind", "LeaderWorkerSet"},
              {"metadata", {{"name", "serve"}}}};
  set["spec"]["leaderWorkerTemplate"] = {
      {"size", 16}, {"workerTemplate", {{"spec", Group(1, "", "4", "tpu7x")["template"]["spec"]}}}};
  return Sliced(set, "/spec/leaderWorkerTemplate/workerTemplate/metadata", slice);
}

struct Verdict {
  std::string name;
  json object;
  std::string findings;  // those that are told
};

class OtherVerdicts : public testing::TestWithParam<Verdict> {};

TEST_P(OtherVerdicts, AreThoseOfTheTable) {
  std::istringstream all(Ask(GetParam().object).findings());
  std::string told;
  for (std::string one; all >> one;) {
    if (!one.ends_with("=audit")) told += (told.empty() ? "" : " ") + one;
  }
  EXPECT_EQ(told, GetParam().findings);
}

// The rows of docs/comparison.md where this profile and a peer do not agree.
INSTANTIATE_TEST_SUITE_P(
    Milder, OtherVerdicts,
    testing::Values(
        Verdict{"K5AcceleratorThatNobodyKnows", PodOn("tpu-v2", "2x2"), "TPU101=warn"},
        Verdict{"C1FamilyThatNobodyKnows", PodOn("tpu-v7-8", "2x2"), "TPU101=warn TPU202=warn"},
        Verdict{"C1OrderOnV4", JobOn(48, "tpu-v4-podslice", "4x12x4"), "TPU203=warn"},
        Verdict{"G2SeveralTopologies", PodWithTopologies({"2x2", "4x4"}), ""},
        Verdict{"M2NoClusterLabel", RayPod({{"ray.io/is-ray-node", "yes"}}), ""},
        Verdict{"M3NoGroupLabel",
                RayPod({{"ray.io/is-ray-node", "yes"}, {"ray.io/cluster", "ray"}}), ""},
        Verdict{"M4NoContainers", With(TpuPod(), "/spec/containers", json::array()), ""},
        Verdict{"X8ZeroDimension", LeaderWorkerSet("0x4x4"), ""}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Stricter, OtherVerdicts,
    testing::Values(Verdict{"C5CapitalX", PodOn("tpu-v6e-slice", "2X2"), "TPU201=deny"},
                    Verdict{"T6HalfABoard", PodOn("tpu7x", "1x2x2"), "TPU203=deny"},
                    Verdict{
                        "ChipsRequestUnlikeLimit",
                        With(TpuPod(), "/spec/containers/0/resources/requests/google.com~1tpu", 1),
                        "TPU302=deny"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    TheSame, OtherVerdicts,
    testing::Values(
        Verdict{"C1Order", JobOn(48, "tpu-v5p-slice", "4x12x4"), "TPU203=deny"},
        Verdict{"C1TooManyCubes", JobOn(2048, "tpu-v4-podslice", "16x16x32"), "TPU203=deny"},
        Verdict{"G1OnlyTheAccelerator", Without(TpuPod(), kTopology), "TPU103=deny"},
        Verdict{"G2OneTopology", PodWithTopologies({"2x2"}), ""},
        Verdict{"K2NoAccelerator", Cluster({WithoutAccelerator(Group(1, "2x2x1", "4"))}),
                "TPU102=deny"},
        Verdict{"S4SliceWithoutParent",
                Cluster({With(Group(2, "", "4", "tpu-v6e-slice"), "/template/metadata",
                              {{"annotations",
                                {{"cloud.google.com/gke-tpu-slice-topology", "2x4"}}}})}),
                "TPU103=deny"},
        Verdict{"S9LongerThanItsParent",
                Cluster({With(Group(8, "4x8", "4", "tpu-v6e-slice"), "/template/metadata",
                              {{"annotations",
                                {{"cloud.google.com/gke-tpu-slice-topology", "2x16"}}}})}),
                "TPU207=deny"},
        Verdict{"X7AcceleratorThatNobodyKnows",
                Sliced(JobOn(16, "tpu-v9", "4x4x4"), "/spec/template/metadata", "4x4x4"),
                "TPU101=warn"}),
    CaseName());

TEST(KuberayCompat, V8IsDeniedByDefault) {
  EXPECT_FALSE(Ask(Cluster({Group(2, "2x4", "4", "tpu-v5-lite-device")}), "standard").allowed());
}

// X7: a slice topology that cannot be read denies, where xpk's slice controller passes it over.
TEST(KuberayCompat, X7SliceTopologyThatCannotBeReadIsPassedOver) {
  json job = TpuJob();
  job["spec"]["template"]["metadata"]["annotations"] = {
      {"cloud.google.com/gke-tpu-slice-topology", "4xfour"}};
  EXPECT_FALSE(Ask(job, "standard").allowed());
  EXPECT_TRUE(Ask(job, "kuberay-compat").allowed());
}

TEST(KuberayCompat, V13BothGroupsAreNamed) {
  const std::string message =
      Ask(Cluster({Group(1, "2x2x4", "4"), Group(3, "2x2x4", "4")})).message();
  for (const char* group : {"spec.workerGroupSpecs[0]", "spec.workerGroupSpecs[1]"}) {
    EXPECT_NE(message.find(group), std::string::npos) << message;
  }
}

TEST(KuberayCompat, V16ChangeOfHostsIsJudged) {
  Asker asker({.policy = "", .docs_url = "", .cluster = {}, .profile = "kuberay-compat"});
  const json before = Cluster({Group(4, "2x2x4", "4")});
  const json after = Cluster({Group(3, "2x2x4", "4")});
  const Answer answer = asker.Validate(Review(after).Update(before));
  EXPECT_FALSE(answer.allowed());
  EXPECT_TRUE(answer.message().starts_with(kNotEqual));
}

// Every faulty group's paragraph has the sentence: a program may look for the second.
TEST(KuberayCompat, SentencesOfAllFaultsAreThere) {
  const std::string message = Ask(Cluster({Group(1, "", "4"), Group(3, "2x2x4", "4")})).message();
  for (const std::string& sentence : {kNoTopology, kNotEqual}) {
    EXPECT_NE(message.find("\n  (" + sentence + ")\n"), std::string::npos) << message;
  }
}

TEST(KuberayCompat, RayJobSaysTheSame) {
  json job = {{"apiVersion", "ray.io/v1"}, {"kind", "RayJob"}, {"metadata", {{"name", "j"}}}};
  job["spec"]["rayClusterSpec"] = Cluster({Group(3, "2x2x4", "4")})["spec"];
  EXPECT_TRUE(Ask(job).message().starts_with(kNotEqual));
}

TEST(KuberayCompat, OtherKindsReadOurOwnWords) {
  const json job = With(TpuJob(), "/spec/parallelism", 3);
  EXPECT_EQ(Ask(job).message(), Ask(job, "standard").message());
  EXPECT_EQ(Ask(With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-accelerator", "v6e"))
                .findings(),
            "TPU101=warn");
}

TEST(KuberayCompat, NoTopologyOutsideRayIsDeniedAsByDefault) {
  const json pod = Without(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology");
  EXPECT_EQ(Ask(pod).findings(), "TPU103=deny");
}

}  // namespace
}  // namespace tpu_admission::admission::kuberay_compat_test
