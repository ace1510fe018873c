// What an UPDATE changed: pods and the shape of slices, counts, or neither.
#include <gtest/gtest.h>

#include "support/case_name.h"
#include "unit/workload/reading.h"

namespace tpu_admission::workload::same_pods_test {
namespace {

using nlohmann::json;

const json kTpus = {{"metadata", {{"labels", {{"a", "b"}}}}}, {"spec", PodSpecOf()}};

json Object(const std::string& kind) {
  if (kind == "RayCluster") {
    return {
        {"spec",
         {{"headGroupSpec", {{"template", {{"spec", PodSpecOf(0)}}}}},
          {"workerGroupSpecs",
           json::array(
               {{{"replicas", 1}, {"minReplicas", 0}, {"numOfHosts", 4}, {"template", kTpus}}})}}}};
  }
  if (kind == "LeaderWorkerSet") {
    return {
        {"spec",
         {{"replicas", 1},
          {"leaderWorkerTemplate",
           {{"size", 4}, {"subGroupPolicy", {{"subGroupSize", 2}}}, {"workerTemplate", kTpus}}}}}};
  }
  if (kind == "JobSet") {
    const json job = {{"parallelism", 4}, {"completions", 4}, {"template", kTpus}};
    return {
        {"spec",
         {{"replicatedJobs", json::array({{{"replicas", 2}, {"template", {{"spec", job}}}}})}}}};
  }
  if (kind == "TFJob") {
    return {{"spec", {{"tfReplicaSpecs", {{"Worker", {{"replicas", 4}, {"template", kTpus}}}}}}}};
  }
  if (kind == "Workflow") {
    const json step = {{"name", "a"}, {"container", PodSpecOf()["containers"][0]}};
    return {{"spec", {{"nodeSelector", {{"x", "y"}}}, {"templates", json::array({step})}}}};
  }
  const json priority = {{"tpu", {{"type", "tpu-v6e-slice"}, {"count", 4}}}};
  return {{"spec", {{"priorities", json::array({priority})}}}};
}

std::string GroupOf(const std::string& kind) {
  for (const Kind& row : Kinds()) {
    if (row.name == kind) return std::string(row.group);
  }
  return "?";
}

struct Change {
  std::string name;
  std::string kind;
  std::string pointer;
  json value;  // null: taken away
  bool same_pods;
  bool same_counts;
};

class Changes : public testing::TestWithParam<Change> {};

TEST_P(Changes, AreOfPodsOrOfCounts) {
  const json before = Object(GetParam().kind);
  json after = before;
  const json::json_pointer at(GetParam().pointer);
  if (GetParam().value.is_null()) {
    after = before.patch({{{"op", "remove"}, {"path", GetParam().pointer}}});
  } else {
    after[at] = GetParam().value;
  }
  ASSERT_NE(before, after);
  const std::string old_text = before.dump();
  const std::string new_text = after.dump();
  k8s::JsonParser one;
  k8s::JsonParser other;
  const Kind& kind = *FindKind(GroupOf(GetParam().kind), GetParam().kind);
  const k8s::JsonView old_view = one.Parse(old_text).value();
  const k8s::JsonView new_view = other.Parse(new_text).value();
  EXPECT_EQ(SamePods(kind, old_view, new_view), GetParam().same_pods);
  EXPECT_EQ(SamePodsAndCounts(kind, old_view, new_view),
            GetParam().same_pods && GetParam().same_counts);
  EXPECT_TRUE(SamePodsAndCounts(kind, old_view, old_view));
}

const std::string kGroup = "/spec/workerGroupSpecs/0";
const std::string kLws = "/spec/leaderWorkerTemplate";
const std::string kChips = "/spec/containers/0/resources/limits/google.com~1tpu";
const std::string kJobSet = "/spec/replicatedJobs/0";

INSTANTIATE_TEST_SUITE_P(
    Ray, Changes,
    testing::Values(
        Change{"Hosts", "RayCluster", kGroup + "/numOfHosts", 2, false, true},
        Change{"HostsAbsent", "RayCluster", kGroup + "/numOfHosts", nullptr, false, true},
        Change{"Replicas", "RayCluster", kGroup + "/replicas", 2, true, false},
        Change{"MinReplicas", "RayCluster", kGroup + "/minReplicas", 1, true, false},
        Change{"MaxReplicas", "RayCluster", kGroup + "/maxReplicas", 1, true, false},
        Change{"Chips", "RayCluster", kGroup + "/template" + kChips, 8, false, true},
        Change{"Label", "RayCluster", kGroup + "/template/metadata/labels/a", "c", true, true},
        Change{"Head", "RayCluster", "/spec/headGroupSpec/template/spec/nodeName", "n", false,
               true},
        Change{"OneGroupMore", "RayCluster", kGroup.substr(0, kGroup.size() - 2),
               json::array({{{"template", kTpus}}, {{"template", kTpus}}}), false, true},
        Change{"NoGroup", "RayCluster", kGroup, nullptr, false, true},
        Change{"Suspended", "RayCluster", "/spec/suspend", true, true, true}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Lws, Changes,
    testing::Values(
        Change{"Size", "LeaderWorkerSet", kLws + "/size", 8, false, true},
        Change{"SubGroups", "LeaderWorkerSet", kLws + "/subGroupPolicy/subGroupSize", 4, false,
               true},
        Change{"Replicas", "LeaderWorkerSet", "/spec/replicas", 2, true, false},
        Change{"NewLeader", "LeaderWorkerSet", kLws + "/leaderTemplate", kTpus, false, true},
        Change{"Policy", "LeaderWorkerSet", "/spec/startupPolicy", "LeaderReady", true, true}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Others, Changes,
    testing::Values(
        Change{"JobSetReplicas", "JobSet", kJobSet + "/replicas", 1, true, false},
        Change{"JobSetParallelism", "JobSet", kJobSet + "/template/spec/parallelism", 8, true,
               false},
        Change{"JobSetChips", "JobSet", kJobSet + "/template/spec/template" + kChips, 8, false,
               true},
        Change{"TfReplicas", "TFJob", "/spec/tfReplicaSpecs/Worker/replicas", 8, true, false},
        Change{
            "TfMaster", "TFJob", "/spec/tfReplicaSpecs/Master", {{"template", kTpus}}, false, true},
        Change{"ArgoContainer", "Workflow", "/spec/templates/0/container/name", "x", false, true},
        Change{"ArgoDefaults", "Workflow", "/spec/nodeSelector/x", "z", false, true},
        Change{"ArgoTolerations", "Workflow", "/spec/tolerations",
               json::array({{{"key", "google.com/tpu"}}}), false, true},
        Change{"ArgoTemplateDefaults", "Workflow", "/spec/templateDefaults/nodeSelector/x", "z",
               false, true},
        Change{"ArgoPatch", "Workflow", "/spec/podSpecPatch", "{}", false, true},
        Change{"ArgoEntrypoint", "Workflow", "/spec/entrypoint", "a", true, true},
        Change{"Priority", "ComputeClass", "/spec/priorities/0/tpu/count", 8, false, true},
        Change{"Fallback", "ComputeClass", "/spec/whenUnsatisfiable", "DoNotScaleUp", true, true}),
    CaseName());

}  // namespace
}  // namespace tpu_admission::workload::same_pods_test
