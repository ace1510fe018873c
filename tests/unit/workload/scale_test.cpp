// How many pods with TPUs fill a slice, kind by kind.
#include <gtest/gtest.h>

#include <optional>

#include "support/case_name.h"
#include "unit/workload/reading.h"

namespace tpu_admission::workload::scale_test {
namespace {

using nlohmann::json;

const json kTpus = {{"spec", PodSpecOf()}};
const json kCpu = {{"spec", PodSpecOf(0)}};

json OnTopology(const std::string& topology) {
  return Put(kTpus, "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", topology);
}

struct GroupCase {
  std::string name;
  json leader;  // null: no leaderTemplate
  json worker;
  json size;
  json sub_group;  // null: none
  std::optional<std::int64_t> tpu_pods;
  std::int64_t idle_leaders = 0;
  std::int64_t first = 0;                // pods with TPUs of the first sub-group, if it has others
  std::optional<std::int64_t> all = {};  // pods with TPUs of a group; if not given, nobody looks
  std::string type = {};                 // subGroupPolicyType
};

class Groups : public testing::TestWithParam<GroupCase> {};

TEST_P(Groups, HaveTheirTpuPods) {
  json group = {{"size", GetParam().size}, {"workerTemplate", GetParam().worker}};
  if (!GetParam().leader.is_null()) group["leaderTemplate"] = GetParam().leader;
  if (!GetParam().sub_group.is_null()) {
    group["subGroupPolicy"] = {{"subGroupSize", GetParam().sub_group}};
  }
  if (!GetParam().type.empty()) group["subGroupPolicy"]["subGroupPolicyType"] = GetParam().type;
  Reading reading;
  const Workload workload =
      reading.Of("leaderworkerset.x-k8s.io", "LeaderWorkerSet",
                 {{"spec", {{"replicas", 3}, {"leaderWorkerTemplate", group}}}});
  ASSERT_FALSE(workload.pod_sets.empty());
  const PodSet& worker = workload.pod_sets.back();
  EXPECT_FALSE(worker.row->leads);
  EXPECT_EQ(worker.scale.counting, Counting::kGroup);
  EXPECT_EQ(worker.scale.tpu_pods, GetParam().tpu_pods);
  EXPECT_EQ(worker.scale.leaders_without_tpus, GetParam().idle_leaders);
  EXPECT_EQ(worker.scale.slices.value, 3);
  EXPECT_EQ(worker.scale.first_sub_group, GetParam().first);
  if (GetParam().all) {
    EXPECT_EQ(worker.scale.all_tpu_pods(), *GetParam().all * 3);
  }
  if (workload.pod_sets.size() == 2) {
    EXPECT_EQ(workload.pod_sets[0].scale.counting, Counting::kElsewhere)
        << "the worker's set speaks for the whole group";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Groups,
    testing::Values(
        GroupCase{"NoLeaderTemplate", nullptr, kTpus, 4, nullptr, 4},
        GroupCase{"LeaderWithTpus", kTpus, kTpus, 4, nullptr, 4},
        GroupCase{"LeaderWithoutTpus", kCpu, kTpus, 5, nullptr, 4, 1},
        GroupCase{"LeaderOnOtherNodes", OnTopology("2x2"), OnTopology("4x4"), 5, nullptr, 4, 1},
        GroupCase{"OnePod", nullptr, kTpus, 1, nullptr, 1},
        GroupCase{"SizeAbsent", nullptr, kTpus, nullptr, nullptr, 1},
        GroupCase{"Placeholder", nullptr, kTpus, "{{ n }}", nullptr, std::nullopt},
        GroupCase{"SubGroups", nullptr, kTpus, 8, 4, 4},
        GroupCase{"SubGroupsBesideTheLeader", kCpu, kTpus, 9, 4, 4, 1},
        GroupCase{"OneSubGroupWithAnIdleLeader", kCpu, kTpus, 4, 4, 3, 1},
        GroupCase{"FirstSubGroupIsSmaller", kCpu, kTpus, 8, 4, 4, 1, 3, 7},
        GroupCase{"FirstSubGroupIsLarger", nullptr, kTpus, 9, 4, 4, 0, 5, 9},
        GroupCase{"OneSubGroupAndOneMore", nullptr, kTpus, 5, 4, 5, 0, 0, 5},
        GroupCase{"SubGroupsOfOne", nullptr, kTpus, 4, 1, 1, 0, 0, 4},
        GroupCase{"Excluded", kCpu, kTpus, 9, 4, 4, 1, 0, 8, "LeaderExcluded"},
        GroupCase{"ExcludedDoesNotDivide", kCpu, kTpus, 8, 4, {}, 1, 0, {}, "LeaderExcluded"},
        GroupCase{"ExcludedLeaderHasChips", nullptr, kTpus, 9, 4, {}, 0, 0, {}, "LeaderExcluded"},
        GroupCase{"LeaderWorkerIsTheDefault", nullptr, kTpus, 8, 4, 4, 0, 0, 8, "LeaderWorker"},
        GroupCase{"SubGroupsThatDoNotDivide", nullptr, kTpus, 7, 4, std::nullopt},
        GroupCase{"OnlyAnIdleLeader", kCpu, kTpus, 1, 1, 0, 1},
        GroupCase{"SubGroupZero", nullptr, kTpus, 4, 0, 4},
        GroupCase{"SubGroupNegative", nullptr, kTpus, 4, -4, 4},
        GroupCase{"Huge", nullptr, kTpus, 9'000'000'000'000'000'000, nullptr, std::nullopt}),
    CaseName());

TEST(Groups, WhoseWorkersHaveNoTpusAreTheirLeaders) {
  Reading reading;
  const json group = {{"size", 4}, {"leaderTemplate", kTpus}, {"workerTemplate", kCpu}};
  const Workload workload = reading.Of("leaderworkerset.x-k8s.io", "LeaderWorkerSet",
                                       {{"spec", {{"leaderWorkerTemplate", group}}}});
  ASSERT_EQ(workload.pod_sets.size(), 1U);
  EXPECT_TRUE(workload.pod_sets[0].row->leads);
  EXPECT_EQ(workload.pod_sets[0].scale.counting, Counting::kNone);
}

json Replica(const json& pods, const json& replicas) {
  json replica = {{"template", pods}};
  if (!replicas.is_null()) replica["replicas"] = replicas;
  return replica;
}

struct TogetherCase {
  std::string name;
  json specs;
  std::optional<std::int64_t> tpu_pods;  // of the set that speaks
  bool shared = false;
  std::size_t speaking = 1;  // sets that are counted
};

class Together : public testing::TestWithParam<TogetherCase> {};

TEST_P(Together, ReplicasOfTheSameNodesAreSummed) {
  Reading reading;
  for (const auto& [kind, specs] :
       {std::pair("TFJob", "tfReplicaSpecs"), std::pair("PyTorchJob", "pytorchReplicaSpecs"),
        std::pair("JAXJob", "jaxReplicaSpecs"), std::pair("MPIJob", "mpiReplicaSpecs")}) {
    const Workload workload =
        reading.Of("kubeflow.org", kind, {{"spec", {{specs, GetParam().specs}}}});
    ASSERT_FALSE(workload.pod_sets.empty());
    EXPECT_EQ(workload.pod_sets[0].scale.counting, Counting::kTogether);
    EXPECT_EQ(workload.pod_sets[0].scale.tpu_pods, GetParam().tpu_pods) << kind;
    EXPECT_EQ(workload.pod_sets[0].scale.shared, GetParam().shared);
    std::size_t speaking = 0;
    for (const PodSet& set : workload.pod_sets) {
      speaking += set.scale.counting == Counting::kTogether ? 1U : 0U;
    }
    EXPECT_EQ(speaking, GetParam().speaking);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Together,
    testing::Values(
        TogetherCase{"WorkersAlone", {{"Worker", Replica(kTpus, 4)}}, 4},
        TogetherCase{"Default", {{"Worker", Replica(kTpus, nullptr)}}, 1},
        TogetherCase{
            "MasterToo", {{"Master", Replica(kTpus, 1)}, {"Worker", Replica(kTpus, 3)}}, 4, true},
        TogetherCase{
            "MasterWithoutTpus", {{"Master", Replica(kCpu, 1)}, {"Worker", Replica(kTpus, 4)}}, 4},
        TogetherCase{
            "OtherNodes",
            {{"Eval", Replica(OnTopology("2x2"), 1)}, {"Worker", Replica(OnTopology("4x4"), 4)}},
            1,
            false,
            2},
        TogetherCase{"Placeholder",
                     {{"Master", Replica(kTpus, "{{ n }}")}, {"Worker", Replica(kTpus, 3)}},
                     std::nullopt,
                     true}),
    CaseName());

TEST(RayGroups, CountTheirHostsEachForItself) {
  Reading reading;
  const auto group = [](const json& hosts, const json& replicas) {
    return json{
        {"groupName", "g"}, {"numOfHosts", hosts}, {"replicas", replicas}, {"template", kTpus}};
  };
  const Workload ray =
      reading.Of("ray.io", "RayCluster",
                 {{"spec",
                   {{"headGroupSpec", {{"template", kCpu}}},
                    {"workerGroupSpecs", json::array({group(4, 2), group(nullptr, 0)})}}}});
  ASSERT_EQ(ray.pod_sets.size(), 2U) << "the head asks for no TPUs";
  EXPECT_EQ(ray.pod_sets[0].scale.tpu_pods, 4);
  EXPECT_EQ(ray.pod_sets[0].scale.slices.value, 2);
  EXPECT_EQ(ray.pod_sets[1].scale.tpu_pods, 1) << "numOfHosts is 1 by default";
  EXPECT_EQ(ray.pod_sets[1].scale.slices.value, 0);
  EXPECT_EQ(ray.pod_sets[1].scale.pods.pointer(), "/spec/workerGroupSpecs/1/numOfHosts");
}

struct BoundsCase {
  std::string name;
  json bounds;  // of the group, and enableInTreeAutoscaling
  std::optional<std::int64_t> slices;
  bool may_change = false;
};

class RayBounds : public testing::TestWithParam<BoundsCase> {};

TEST_P(RayBounds, HoldTheReplicas) {
  json group = {{"groupName", "g"}, {"numOfHosts", 4}, {"template", kTpus}};
  group.update(GetParam().bounds);
  json spec = {{"workerGroupSpecs", json::array({group})}};
  if (group.contains("enableInTreeAutoscaling")) spec["enableInTreeAutoscaling"] = true;
  Reading reading;
  const Workload ray = reading.Of("ray.io", "RayCluster", {{"spec", spec}});
  ASSERT_EQ(ray.pod_sets.size(), 1U);
  EXPECT_EQ(ray.pod_sets[0].scale.slices.value, GetParam().slices);
  EXPECT_EQ(ray.pod_sets[0].scale.slices_may_change, GetParam().may_change);
  EXPECT_EQ(ray.pod_sets[0].scale.slices.pointer(), "/spec/workerGroupSpecs/0/replicas");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RayBounds,
    testing::Values(
        BoundsCase{"NoBounds", {{"replicas", 3}}, 3},
        BoundsCase{"Nothing", json::object(), 1, true},
        BoundsCase{"OnlyTheLeast", {{"minReplicas", 2}}, 2},
        BoundsCase{"OnlyTheMost", {{"maxReplicas", 4}}, 1, true},
        BoundsCase{"Raised", {{"replicas", 1}, {"minReplicas", 2}, {"maxReplicas", 4}}, 2},
        BoundsCase{"Lowered", {{"replicas", 5}, {"minReplicas", 0}, {"maxReplicas", 4}}, 4},
        BoundsCase{"TheMostWins", {{"replicas", 3}, {"minReplicas", 5}, {"maxReplicas", 4}}, 4},
        BoundsCase{"Autoscaled",
                   {{"replicas", 1},
                    {"minReplicas", 0},
                    {"maxReplicas", 4},
                    {"enableInTreeAutoscaling", true}},
                   1,
                   true},
        BoundsCase{"AutoscaledWithoutRoom",
                   {{"minReplicas", 2}, {"maxReplicas", 2}, {"enableInTreeAutoscaling", true}},
                   2},
        BoundsCase{"Suspended", {{"replicas", 2}, {"suspend", true}}, 2, true},
        BoundsCase{"PlaceholderOfTheLeast", {{"replicas", 2}, {"minReplicas", "{{ n }}"}}, 2, true},
        BoundsCase{"PlaceholderOfTheMost", {{"replicas", 2}, {"maxReplicas", "{{ n }}"}}, 2, true},
        BoundsCase{"Placeholder", {{"replicas", "{{ n }}"}, {"minReplicas", 2}}, std::nullopt}),
    CaseName());

TEST(JobSets, NameTheGroupsOfTheirJobs) {
  Reading reading;
  const json job = {{"template", {{"spec", {{"template", kTpus}}}}}};
  const json jobs = json::array({job, Put(job, "/groupName", "act")});
  const Workload set =
      reading.Of("jobset.x-k8s.io", "JobSet", {{"spec", {{"replicatedJobs", jobs}}}});
  ASSERT_EQ(set.pod_sets.size(), 2U);
  EXPECT_EQ(set.pod_sets[0].scale.group, "default");
  EXPECT_EQ(set.pod_sets[1].scale.group, "act");
}

TEST(JobSets, HaveASliceForEachReplica) {
  Reading reading;
  const auto replicated = [](const json& pods, const json& replicas, const json& parallelism) {
    json job = {{"template", {{"spec", {{"template", pods}}}}}};
    if (!replicas.is_null()) job["replicas"] = replicas;
    if (!parallelism.is_null()) job["template"]["spec"]["parallelism"] = parallelism;
    return job;
  };
  const Workload set =
      reading.Of("jobset.x-k8s.io", "JobSet",
                 {{"spec",
                   {{"replicatedJobs", json::array({replicated(kCpu, 1, 1), replicated(kTpus, 2, 4),
                                                    replicated(kTpus, nullptr, nullptr)})}}}});
  ASSERT_EQ(set.pod_sets.size(), 2U);
  EXPECT_EQ(set.pod_sets[0].pointer, "/spec/replicatedJobs/1/template/spec/template");
  EXPECT_EQ(set.pod_sets[0].scale.slices.value, 2);
  EXPECT_EQ(set.pod_sets[0].scale.tpu_pods, 4);
  EXPECT_TRUE(set.pod_sets[0].scale.indexed) << "JobSet's own webhook sees to that";
  EXPECT_EQ(set.pod_sets[1].scale.slices.value, 1);
  EXPECT_EQ(set.pod_sets[1].scale.tpu_pods, 1);
}

TEST(JobSets, ShowTheLabelsAndAnnotationsOfTheJob) {
  Reading reading;
  const json metadata = {{"labels", {{"a", "b"}}}, {"annotations", {{"c", "d"}}}};
  const json job = {{"template", {{"metadata", metadata}, {"spec", {{"template", kTpus}}}}}};
  const Workload set =
      reading.Of("jobset.x-k8s.io", "JobSet", {{"spec", {{"replicatedJobs", json::array({job})}}}});
  EXPECT_EQ(set.pod_sets[0].job_labels.Find("a"), "b");
  EXPECT_EQ(set.pod_sets[0].job_annotations.Find("c"), "d");
}

}  // namespace
}  // namespace tpu_admission::workload::scale_test
