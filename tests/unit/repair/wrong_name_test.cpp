// A name that no node has, beside the right one or in its place: the repair takes it away, and
// changes nothing else.
#include <gmock/gmock.h>

#include "support/repairs.h"
#include "tpu_admission/admission/repairs.h"

namespace tpu_admission::admission::wrong_name_test {
namespace {

// The changes of the first repair.
std::string First(const std::string& yaml) {
  const auto repairs = support::RepairsOfYaml(yaml);
  return repairs.empty() ? "" : repairs.front().Title() + " | " + repairs.front().changes;
}

std::string Spec(const std::string& nodes, const std::string& requests, const std::string& limits) {
  return "{" + nodes +
         ", tolerations: [{key: google.com/tpu, operator: Exists}], containers: [{name: c, image: "
         "i, resources: {requests: {cpu: 1, memory: 1Gi" +
         requests + "}, limits: {" + limits + "}}}]}";
}

std::string Selector(const std::string& topology) {
  return "nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, "
         "cloud.google.com/gke-tpu-topology: " +
         topology + "}";
}

std::string Job(const std::string& spec) {
  return "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {spec: " + spec +
         "}}}";
}

std::string Group(const std::string& leader, const std::string& workers) {
  return "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: g}, "
         "spec: {replicas: 1, leaderWorkerTemplate: {size: 4, leaderTemplate: {spec: " +
         leader + "}, workerTemplate: {spec: " + workers + "}}}}";
}

// A pod gets nothing of what no node offers, so it waits for ever.
TEST(WrongName, OfChipsBesideTheRightOneGoes) {
  const auto job = [](const std::string& requests, const std::string& limits) {
    return Job(Spec(Selector("2x2"), requests, limits));
  };
  const std::string kept = "keep 2x2, 4 chips on 1 host | ";
  for (const std::string name : {"google.com/tpus", "cloud.google.com/tpu"}) {
    EXPECT_EQ(
        First(job(", google.com/tpu: 4", name + ": 4")),
        kept + "containers[0] google.com/tpu: 4, containers[0] limit of " + name + ": (removed)");
    EXPECT_EQ(First(job(", " + name + ": 4", "google.com/tpu: 4")),
              kept + "containers[0] request of " + name + ": (removed)");
  }
  EXPECT_EQ(First(job("", "google.com/tpu: 4, example.com/tpu: 4")), "") << "somebody's own";
}

TEST(WrongName, OfChipsOfALeaderAndItsWorkersIsRightInBoth) {
  const std::string spec = Spec(Selector("4x4"), ", google.com/tpus: 4", "google.com/tpus: 4");
  const std::string repair = First(Group(spec, spec));
  EXPECT_THAT(repair, ::testing::HasSubstr("containers[0] google.com/tpu: 4"));
  EXPECT_THAT(repair, ::testing::Not(::testing::HasSubstr("size")));
  EXPECT_THAT(repair, ::testing::HasSubstr("4x4, 16 chips on 4 hosts"));
}

std::string Affinity(const std::string& key) {
  return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [{matchExpressions: [{key: cloud.google.com/gke-tpu-accelerator, "
         "operator: In, values: [tpu-v6e-slice]}, {key: " +
         key + ", operator: In, values: [2x2]}]}]}}}";
}

TEST(WrongName, OfALabelInAnAffinityIsRespeltThere) {
  EXPECT_EQ(First(Job(Spec(Affinity("cloud.google.com/gke-topology"), "", "google.com/tpu: 4"))),
            "one host, 4 chips in all | affinity key: cloud.google.com/gke-tpu-topology");
  EXPECT_EQ(
      First(Job(Spec(Affinity("cloud.google.com/gke-tpu-topology"), "", "google.com/tpu: 4"))), "");
}

TEST(WrongName, OfTheAcceleratorIsTakenAwayWithIt) {
  EXPECT_EQ(First(Job(Spec("nodeSelector: {cloud.google.com/gke-tpu-type: tpu-v6e-slice, "
                           "cloud.google.com/gke-tpu-topology: 2x2}",
                           "", "google.com/tpu: 4"))),
            "keep 2x2, 4 chips on 1 host | accelerator: tpu-v6e-slice, "
            "cloud.google.com/gke-tpu-type: (removed)");
}

// Two findings say the same, which is done once: a patch that removes twice does not apply.
TEST(WrongName, OfALabelOfTheWorkersIsRespeltOnce) {
  const std::string right = Spec(Selector("4x4"), "", "google.com/tpu: 4");
  const std::string wrong = Spec(
      "nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, "
      "cloud.google.com/gke-topology: 4x4}",
      "", "google.com/tpu: 4");
  const std::string json = ParseYaml(Group(right, wrong)).value().front().json;
  k8s::JsonParser parser;
  const k8s::JsonView object = parser.Parse(json).value();
  k8s::Arena arena;
  const Settings& settings = support::StandardSettings();
  const Submission submission{k8s::GvkOf(object), object, {}, "default", {}};
  const auto repairs = RepairsOf(settings, submission, Judge(settings, submission, arena), arena);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs.front().edits.size(), 2U);
}

}  // namespace
}  // namespace tpu_admission::admission::wrong_name_test
