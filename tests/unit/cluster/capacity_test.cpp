// What becomes of chips: each kind of waste where it is, and not where it is not.
#include "tpu_admission/cluster/capacity.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace tpu_admission::cluster::capacity_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kNow = 1'795'262'400;  // 2026-11-21T12:00:00Z

// The hosts of a pool of v6e 4x4: four of four chips.
std::vector<TpuNode> Slice(const std::string& pool, int hosts = 4) {
  std::vector<TpuNode> nodes;
  for (int i = 0; i < hosts; ++i) {
    nodes.push_back({pool + "-" + std::to_string(i), pool, "tpu-v6e-slice", "4x4", 4, true});
  }
  return nodes;
}

TpuPod Running(const std::string& name, const std::string& node, const std::string& gang) {
  TpuPod pod;
  pod.title = "Pod \"" + name + "\" in ml";
  pod.node = node;
  pod.phase = "Running";
  pod.gang = pod.slice = gang;
  pod.topology = "4x4";
  pod.chips = 4;
  pod.created = pod.scheduled = kNow - 3600;
  return pod;
}

TpuPod Pending(const std::string& name, const std::string& gang, std::int64_t since) {
  TpuPod pod = Running(name, "", gang);
  pod.phase = "Pending";
  pod.created = since;
  pod.scheduled = 0;
  return pod;
}

std::vector<TpuPod> OnAll(const std::vector<TpuNode>& nodes, const std::string& gang) {
  std::vector<TpuPod> pods;
  for (const TpuNode& node : nodes) pods.push_back(Running("p-" + node.name, node.name, gang));
  return pods;
}

std::vector<std::string> Keys(const Capacity& capacity) {
  std::vector<std::string> keys;
  for (const WasteFound& found : capacity.found) keys.push_back(found.Key());
  return keys;
}

TEST(Capacity, OfASliceInUseIsNotWasted) {
  const auto nodes = Slice("a");
  const Capacity capacity = FindWaste(nodes, OnAll(nodes, "Job \"train\" in ml"), {}, kNow);
  EXPECT_EQ(capacity.chips, 16);
  EXPECT_THAT(Keys(capacity), IsEmpty());
}

TEST(Capacity, LiesIdleSinceItWasFirstSeenSo) {
  const Capacity first = FindWaste(Slice("a"), {}, {}, kNow);
  ASSERT_THAT(Keys(first), ElementsAre("idle-chips a"));
  EXPECT_EQ(first.found[0].chips, 16);
  EXPECT_EQ(first.found[0].since, kNow);
  EXPECT_EQ(first.found[0].text, "pool a (tpu-v6e-slice 4x4): 16 of 16 chips lie idle");
  const Capacity later =
      FindWaste(Slice("a"), {}, {{first.found[0].Key(), first.found[0].since}}, kNow + 7200);
  EXPECT_EQ(later.found[0].since, kNow);
}

TEST(Capacity, OfHostsThatCannotBeUsedIsNotIdle) {
  std::vector<TpuNode> nodes = {{"one", "small", "tpu-v6e-slice", "2x2", 4, false}};
  EXPECT_THAT(Keys(FindWaste(nodes, {}, {}, kNow)), IsEmpty());
  nodes[0].usable = true;
  EXPECT_THAT(Keys(FindWaste(nodes, {}, {}, kNow)), ElementsAre("idle-chips small"));
}

TEST(Capacity, OfFinishedPodsIsIdleAgain) {
  const auto nodes = Slice("a");
  auto pods = OnAll(nodes, "Job \"train\" in ml");
  for (TpuPod& pod : pods) pod.phase = "Succeeded";
  EXPECT_EQ(FindWaste(nodes, pods, {}, kNow).Chips(Waste::kIdle), 16);
}

TEST(Capacity, OfAHalfUsedSliceIsToldOnce) {
  const auto nodes = Slice("a");
  const Capacity capacity = FindWaste(nodes, {Running("p", "a-0", "")}, {}, kNow);
  ASSERT_THAT(Keys(capacity), ElementsAre("half-used-slice a"));
  EXPECT_EQ(capacity.Chips(Waste::kHalfUsed), 12);
  EXPECT_THAT(capacity.found[0].text, HasSubstr("1 of 4 hosts have TPU pods"));
}

TEST(Capacity, OfASliceThatLacksAHostIsStranded) {
  for (const bool absent : {true, false}) {
    auto nodes = Slice("a", absent ? 3 : 4);
    if (!absent) nodes[3].usable = false;
    const Capacity capacity = FindWaste(nodes, {}, {}, kNow);
    ASSERT_THAT(Keys(capacity), ElementsAre("stranded-slice a"));
    EXPECT_EQ(capacity.Chips(Waste::kStranded), 12);
    EXPECT_THAT(capacity.found[0].text, HasSubstr("3 of 4 hosts can be used"));
  }
}

TEST(Capacity, OfNodesWithoutAPoolIsCountedByShapeAndMakesNoSlice) {
  auto nodes = Slice("", 3);
  for (int i = 0; i < 3; ++i) nodes[std::size_t(i)].name = std::to_string(i);
  EXPECT_THAT(Keys(FindWaste(nodes, {}, {}, kNow)),
              ElementsAre("idle-chips without a name, tpu-v6e-slice 4x4"));
}

TEST(Capacity, OfOneSliceInTwoPoolsIsSplit) {
  auto nodes = Slice("a");
  const auto more = Slice("b");
  nodes.insert(nodes.end(), more.begin(), more.end());
  const std::string gang = "Job \"train\" in ml";
  std::vector<TpuPod> pods = {Running("0", "a-0", gang), Running("1", "a-1", gang),
                              Running("2", "b-0", gang), Running("3", "b-1", gang)};
  const Capacity capacity = FindWaste(nodes, pods, {}, kNow);
  EXPECT_EQ(capacity.Count(Waste::kSplit), 1U);
  EXPECT_EQ(capacity.Chips(Waste::kSplit), 16);
  EXPECT_EQ(capacity.Count(Waste::kHalfUsed), 2U);
  // Eight pods fill both slices: that is two slices, not one in two pools.
  EXPECT_THAT(Keys(FindWaste(nodes, OnAll(nodes, gang), {}, kNow)), IsEmpty());
}

// Two slices whose pods have ended but for one of each, or have come but for the last ones.
TEST(Capacity, OfTwoSlicesThatEndOrBeginIsNotSplit) {
  auto nodes = Slice("a");
  const auto more = Slice("b");
  nodes.insert(nodes.end(), more.begin(), more.end());
  const std::string gang = "Job \"train\" in ml";
  auto ending = OnAll(nodes, gang);
  for (const std::size_t i : {1U, 2U, 3U, 5U, 6U, 7U}) ending[i].phase = "Succeeded";
  EXPECT_EQ(FindWaste(nodes, ending, {}, kNow).Count(Waste::kSplit), 0U);
  for (const std::size_t i : {1U, 2U, 3U, 5U, 6U, 7U}) ending[i].phase = "Failed";
  EXPECT_EQ(FindWaste(nodes, ending, {}, kNow).Count(Waste::kSplit), 1U);
  std::vector<TpuPod> beginning = {Running("0", "a-0", gang), Running("1", "b-0", gang)};
  beginning[1].phase = "Pending";  // with a node, and not started
  EXPECT_EQ(FindWaste(nodes, beginning, {}, kNow).Count(Waste::kSplit), 0U);
  beginning[1].phase = "Running";
  EXPECT_EQ(FindWaste(nodes, beginning, {}, kNow).Count(Waste::kSplit), 1U);
}

TEST(Capacity, IsHeldByAGangThatWaitsForLongerThanTenMinutes) {
  const auto nodes = Slice("a");
  const std::string gang = "JobSet \"train\" in ml";
  auto pods = OnAll(nodes, gang);
  pods.push_back(Pending("4", gang, kNow - 600));
  EXPECT_THAT(Keys(FindWaste(nodes, pods, {}, kNow)), IsEmpty());
  const Capacity capacity = FindWaste(nodes, pods, {}, kNow + 1);
  ASSERT_THAT(Keys(capacity), ElementsAre("waiting-gang JobSet \"train\" in ml"));
  EXPECT_EQ(capacity.found[0].chips, 16);
  EXPECT_EQ(capacity.found[0].since, kNow - 600);
  const std::chrono::seconds longer = kPatience + std::chrono::seconds(1);
  EXPECT_THAT(Keys(FindWaste(nodes, pods, {}, kNow + 1, longer)), IsEmpty());
  EXPECT_THAT(capacity.found[0].text, HasSubstr("4 pods hold 16 chips, and 1 pod is Pending"));
}

TEST(Capacity, IsHeldSinceTheLaterOfHoldingAndWaiting) {
  const auto nodes = Slice("a");
  auto pods = OnAll(nodes, "Job \"x\" in ml");
  for (TpuPod& pod : pods) pod.scheduled = kNow - 60;  // the other one waited long before
  pods.push_back(Pending("4", "Job \"x\" in ml", kNow - 3600));
  EXPECT_EQ(FindWaste(nodes, pods, {}, kNow).Count(Waste::kWaiting), 0U);
}

// Pods of one chip share a host of four: of each of them alone the slice would have four hosts.
TEST(Capacity, OfAHostThatPodsShareIsHeldByNoGang) {
  const std::vector<TpuNode> nodes = {{"n", "small", "tpu7x", "2x2x1", 4, true}};
  const std::string gang = "StatefulSet \"serve\" in ml";
  std::vector<TpuPod> pods(4, Running("p", "n", gang));
  pods.push_back(Pending("4", gang, kNow - 3600));
  for (TpuPod& pod : pods) {
    pod.topology = "2x2x1";
    pod.chips = 1;
  }
  EXPECT_THAT(Keys(FindWaste(nodes, pods, {}, kNow)), IsEmpty());
}

TEST(Capacity, OfPodsThatStandAloneIsHeldByNoGang) {
  const auto nodes = Slice("a");
  auto pods = OnAll(nodes, "");
  pods.push_back(Pending("4", "", kNow - 3600));
  EXPECT_THAT(Keys(FindWaste(nodes, pods, {}, kNow)), IsEmpty());
}

json PodObject(const json& labels, const json& owner) {
  json pod = json::parse(R"({"kind": "Pod", "metadata": {"name": "p", "namespace": "ml",
      "creationTimestamp": "2026-11-21T12:00:00Z"},
    "spec": {"nodeName": "n", "nodeSelector": {"cloud.google.com/gke-tpu-topology": "4x4"},
      "containers": [{"resources": {"limits": {"google.com/tpu": "4"}}}]},
    "status": {"phase": "Running", "conditions": [{"type": "PodScheduled", "status": "True",
      "lastTransitionTime": "2026-11-21T12:00:01Z"}]}})");
  pod["metadata"]["labels"] = labels;
  if (!owner.is_null()) pod["metadata"]["ownerReferences"] = json::array({owner});
  return pod;
}

std::optional<TpuPod> Read(const json& object) {
  k8s::JsonParser parser;
  const std::string text = object.dump();
  return ReadTpuPod(parser.Parse(text).value());
}

TEST(TpuPod, IsReadWithItsGangAndTimes) {
  const json job = {{"kind", "Job"}, {"name", "train"}, {"uid", "u"}, {"controller", true}};
  const auto of_job = Read(PodObject(json::object(), job));
  ASSERT_TRUE(of_job);
  EXPECT_EQ(of_job->gang, "Job \"train\" in ml");
  EXPECT_EQ(of_job->slice, "u");
  EXPECT_EQ(of_job->chips, 4);
  EXPECT_EQ(of_job->topology, "4x4");
  EXPECT_EQ(of_job->created, kNow);
  EXPECT_EQ(of_job->scheduled, kNow + 1);
  EXPECT_EQ(Read(PodObject({{"jobset.sigs.k8s.io/jobset-name", "s"}}, job))->gang,
            "JobSet \"s\" in ml");
  EXPECT_EQ(Read(PodObject({{"leaderworkerset.sigs.k8s.io/name", "l"},
                            {"leaderworkerset.sigs.k8s.io/group-index", "1"}},
                           nullptr))
                ->gang,
            "group 1 of LeaderWorkerSet \"l\" in ml");
  EXPECT_EQ(Read(PodObject({{"ray.io/cluster", "r"}, {"ray.io/worker-group-replica-name", "w-0"}},
                           nullptr))
                ->gang,
            "group w-0 of RayCluster \"r\" in ml");
  const json set = {{"kind", "ReplicaSet"}, {"name", "x"}, {"uid", "u"}, {"controller", true}};
  EXPECT_EQ(Read(PodObject(json::object(), set))->gang, "");
}

TEST(TpuPod, ThatANodeRefusedIsTold) {
  json pod = PodObject(json::object(), nullptr);
  pod["status"] = {{"phase", "Failed"},
                   {"reason", "UnexpectedAdmissionError"},
                   {"message", "invalid TPU chip count request"}};
  const auto refused = Read(pod);
  ASSERT_TRUE(refused);
  const Capacity capacity = FindWaste({}, {*refused}, {}, kNow);
  ASSERT_THAT(Keys(capacity), ElementsAre("refused-pod Pod \"p\" in ml"));
  EXPECT_THAT(capacity.found[0].text, HasSubstr("invalid TPU chip count request"));
  pod["status"]["reason"] = "Evicted";
  EXPECT_EQ(FindWaste({}, {*Read(pod)}, {}, kNow).Count(Waste::kRefused), 0U);
}

TEST(TpuPod, WithoutChipsIsNone) {
  json pod = PodObject(json::object(), nullptr);
  pod["spec"]["containers"][0]["resources"] = json::object();
  EXPECT_FALSE(Read(pod));
}

TEST(TpuNode, IsUsableIfItIsReadyAndNotCordoned) {
  json node = json::parse(R"({"metadata": {"name": "n", "labels": {
      "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
      "cloud.google.com/gke-tpu-topology": "4x4", "cloud.google.com/gke-nodepool": "a"}},
    "status": {"allocatable": {"google.com/tpu": "4"},
               "conditions": [{"type": "Ready", "status": "True"}]}})");
  const auto read = [&node] {
    k8s::JsonParser parser;
    const std::string text = node.dump();
    return ReadTpuNode(parser.Parse(text).value());
  };
  ASSERT_TRUE(read());
  EXPECT_TRUE(read()->usable);
  EXPECT_EQ(read()->pool, "a");
  node["spec"]["unschedulable"] = true;
  EXPECT_FALSE(read()->usable);
  node["metadata"]["labels"].erase("cloud.google.com/gke-tpu-accelerator");
  EXPECT_FALSE(read());
}

TEST(SecondsOf, IsOfATimeOrNone) {
  EXPECT_EQ(SecondsOf("2026-11-21T12:00:00.123456Z"), kNow);
  EXPECT_EQ(SecondsOf("yesterday"), 0);
}

}  // namespace
}  // namespace tpu_admission::cluster::capacity_test
