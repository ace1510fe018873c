// The fix that tells workers who they are: that the patch applies, changes nothing of the user's
// and is not asked for twice.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/admission/worker_pods.h"

namespace tpu_admission::admission::worker_fix_test {
namespace {

using nlohmann::json;

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

// Names of others beside bounds of one process would contradict each other.
TEST(WorkerFix, LeavesAloneWhatItsShellLetsRunAlone) {
  for (const char* script : {"export TPU_PROCESS_BOUNDS=1,1,1; run", "TPU_HOST_BOUNDS=1,1,1 run"}) {
    json container = Container("jax", 4);
    container["command"] = {"sh", "-c", script};
    const json pod = Mutated(StatefulPod(1, "tpu-v6e-slice", "4x4", json::array({container})));
    EXPECT_EQ(Value(pod, "TPU_WORKER_HOSTNAMES"), "") << script;
    container["command"] = {"sh", "-c", "run"};
    const json told = Mutated(StatefulPod(1, "tpu-v6e-slice", "4x4", json::array({container})));
    EXPECT_NE(Value(told, "TPU_WORKER_HOSTNAMES"), "");
  }
}

TEST(WorkerFix, CountsTheHostsOfASubSlice) {
  json pod = StatefulPod(3, "tpu-v6e-slice", "4x4", json::array({Container("jax", 4)}));
  pod["metadata"]["annotations"]["cloud.google.com/gke-tpu-slice-topology"] = "2x4";
  pod = Mutated(pod);
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID"), "1");
  EXPECT_EQ(Value(pod, "TPU_WORKER_HOSTNAMES"), "serve-2.serve,serve-3.serve");
}

TEST(WorkerFix, GivesAJobSetItsSlices) {
  const json pod = Mutated(JobSetPod(nullptr), kSelfManaged);
  EXPECT_EQ(Value(pod, "TPU_WORKER_ID"), "2");
  EXPECT_EQ(Value(pod, "TPU_WORKER_HOSTNAMES"), "ms-w-1-0.ms,ms-w-1-1.ms,ms-w-1-2.ms,ms-w-1-3.ms");
  EXPECT_EQ(Value(pod, "MEGASCALE_NUM_SLICES"), "2");
  EXPECT_EQ(Value(pod, "MEGASCALE_SLICE_ID"), "1");
  EXPECT_EQ(Value(pod, "MEGASCALE_COORDINATOR_ADDRESS"), "ms-w-0-0.ms");
}

// Without a word of the user's, two replicas of a job may be two runs that know nothing of each
// other, and would wait for each other if they were told otherwise.
TEST(WorkerFix, AddsNoSlicesWhereNobodySaysThatTheyWorkTogether) {
  json pod = JobSetPod(nullptr);
  pod["metadata"]["labels"].erase("jobset.sigs.k8s.io/coordinator");
  json told = Mutated(pod, kSelfManaged);
  EXPECT_EQ(Value(told, "TPU_WORKER_ID"), "2");
  for (const char* name :
       {"MEGASCALE_NUM_SLICES", "MEGASCALE_SLICE_ID", "MEGASCALE_COORDINATOR_ADDRESS"}) {
    EXPECT_EQ(Value(told, name), "") << name;
  }
  // A coordinator that is no worker, such as a head without TPUs, leads no slices of TPUs.
  pod["metadata"]["labels"]["jobset.sigs.k8s.io/coordinator"] = "ms-head-0-0.ms";
  EXPECT_EQ(Value(Mutated(pod, kSelfManaged), "MEGASCALE_SLICE_ID"), "");
}

TEST(WorkerFix, AddsWhatIsMissingWhereTheUserSaysTheNumberOfSlices) {
  for (const auto& [number, slice] :
       {std::pair("2", "1"), std::pair("3", ""), std::pair("1", ""), std::pair("", "")}) {
    json pod = JobSetPod(json::array({{{"name", "MEGASCALE_NUM_SLICES"}, {"value", number}}}));
    pod["metadata"]["labels"].erase("jobset.sigs.k8s.io/coordinator");
    const json told = Mutated(pod, kSelfManaged);
    EXPECT_EQ(Value(told, "MEGASCALE_NUM_SLICES"), number);
    EXPECT_EQ(Value(told, "MEGASCALE_SLICE_ID"), slice) << number;
  }
}

TEST(WorkerFix, LeavesJobsOnGkeToGkeUnlessAsked) {
  const json pod = JobSetPod(nullptr);
  EXPECT_EQ(Value(Mutated(pod), "TPU_WORKER_ID"), "");
  EXPECT_EQ(Value(Mutated(pod, {}, "fixes: {TPU802: true}"), "TPU_WORKER_ID"), "2");
  const std::string here = "namespaces: [{match: ml, fixes: {TPU802: true}}]";
  EXPECT_EQ(Value(Mutated(pod, {}, here), "TPU_WORKER_ID"), "");
  EXPECT_EQ(Value(Mutated(pod, kSelfManaged, "fixes: {TPU802: false}"), "TPU_WORKER_ID"), "");
}

// GKE's own webhook was not asked, or does not know the Job: recorded, and no more.
TEST(WorkerFix, AJobOnGkeWithoutNamesIsRecorded) {
  Asker asker;
  const Answer answer = asker.Validate(Review(JobSetPod(nullptr)));
  EXPECT_TRUE(answer.allowed());
  EXPECT_TRUE(answer.warnings().empty());
  EXPECT_NE(answer.findings().find("TPU802=audit"), std::string::npos);
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

// The API server stores no object of more than 1.5 MB.
TEST(WorkerFix, AddsNoMoreThanAnObjectHolds) {
  json pod = StatefulPod(2303, "tpu7x", "16x16x36", json::array({Container("jax", 4)}));
  pod["spec"]["initContainers"] = json::array();
  for (int i = 0; i < 40; ++i) {
    pod["spec"]["initContainers"].push_back(Container("setup-" + std::to_string(i), 4));
  }
  EXPECT_EQ(Mutated(pod), pod);
  Asker asker;
  EXPECT_NE(asker.Validate(Review(pod)).findings().find("TPU801=audit"), std::string::npos);
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

// And no answer grows with it.
TEST(WorkerFix, AListThatIsTooLongIsAFinding) {
  for (const char* part : {"serve-0.serve,", ",", ".", "a", "\xC3\xBC"}) {
    std::string list;
    while (list.size() < 300'000) list += part;
    json pod = StatefulPod(2, "tpu-v6e-slice", "4x4", json::array({Container("jax", 4)}));
    pod["spec"]["containers"][0]["env"] =
        json::array({{{"name", "TPU_WORKER_ID"}, {"value", "2"}},
                     {{"name", "TPU_WORKER_HOSTNAMES"}, {"value", list}}});
    Asker asker;
    const Answer answer = asker.Validate(Review(pod));
    EXPECT_NE(answer.findings().find("TPU805=audit"), std::string::npos) << part;
    EXPECT_LT(answer.text.size(), 5000U);
  }
}

}  // namespace
}  // namespace tpu_admission::admission::worker_fix_test
