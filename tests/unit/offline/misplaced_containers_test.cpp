// What `check` says of containers with chips at a place where their kind has none.
#include <gmock/gmock.h>

#include "support/check_text.h"

namespace tpu_admission::offline::misplaced_containers_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kChips = "[{name: a, resources: {limits: {google.com/tpu: 4}}}]";

std::vector<std::string> Told(const std::string& head, const std::string& rest) {
  return support::WarningsOf(head + "\nmetadata: {name: a}\n" + rest + "\n");
}

TEST(MisplacedContainers, AreToldWithThePlaceThatWasMeant) {
  struct Case {
    std::string head, rest, told;
  };
  const std::string job_set = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet";
  const std::string ray = "apiVersion: ray.io/v1\nkind: RayCluster";
  const std::string group = "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet";
  const Case cases[] = {
      {"apiVersion: batch/v1\nkind: Job", "spec:\n  containers: " + kChips,
       "5: spec.containers asks for google.com/tpu, but the kind Job has no containers there; did "
       "you mean spec.template.spec.containers?"},
      {"apiVersion: apps/v1\nkind: Deployment", "spec:\n  template:\n    initContainers: " + kChips,
       "6: spec.template.initContainers asks for google.com/tpu, but the kind Deployment has no "
       "containers there; did you mean spec.template.spec.initContainers?"},
      {"apiVersion: v1\nkind: Pod", "containers: " + kChips,
       "4: containers asks for google.com/tpu, but the kind Pod has no containers there; did you "
       "mean spec.containers?"},
      {job_set,
       "spec:\n  replicatedJobs: [{}, {name: w, template: {spec: {containers: " + kChips + "}}}]",
       "5: spec.replicatedJobs[1].template.spec.containers asks for google.com/tpu, but the kind "
       "JobSet has no containers there; did you mean "
       "spec.replicatedJobs[1].template.spec.template.spec.containers?"},
      {job_set, "spec:\n  template: {spec: {containers: " + kChips + "}}",
       "5: spec.template.spec.containers asks for google.com/tpu, but the kind JobSet has no "
       "containers there; did you mean "
       "spec.replicatedJobs[].template.spec.template.spec.containers?"},
      {ray, "spec:\n  headGroupSpec: {containers: " + kChips + "}",
       "5: spec.headGroupSpec.containers asks for google.com/tpu, but the kind RayCluster has no "
       "containers there; did you mean spec.headGroupSpec.template.spec.containers?"},
      {group, "spec:\n  leaderWorkerTemplate: {containers: " + kChips + "}",
       "5: spec.leaderWorkerTemplate.containers asks for google.com/tpu, but the kind "
       "LeaderWorkerSet has no containers there; did you mean "
       "spec.leaderWorkerTemplate.workerTemplate.spec.containers?"},
      {"apiVersion: kubeflow.org/v1\nkind: PyTorchJob",
       "spec:\n  pytorchReplicaSpecs: {Worker: {containers: " + kChips + "}}",
       "5: spec.pytorchReplicaSpecs.Worker.containers asks for google.com/tpu, but the kind "
       "PyTorchJob has no containers there; did you mean "
       "spec.pytorchReplicaSpecs.Worker.template.spec.containers?"},
      {"apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService",
       "spec:\n  containers: " + kChips,
       "5: spec.containers asks for google.com/tpu, but the kind LLMInferenceService has no "
       "containers there"},
  };
  for (const auto& [head, rest, told] : cases) EXPECT_THAT(Told(head, rest), ElementsAre(told));
}

TEST(MisplacedContainers, StandBesideThoseThatAreRead) {
  const std::string pod =
      "{nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, "
      "cloud.google.com/gke-tpu-topology: 2x2}, containers: [{name: a, resources: {limits: "
      "{google.com/tpu: 4}, requests: {cpu: 1, memory: 1Gi}}}]}";
  EXPECT_THAT(Told("apiVersion: batch/v1\nkind: Job",
                   "spec: {template: {spec: " + pod + "},\n  containers: " + kChips + "}"),
              ElementsAre("5: spec.containers asks for google.com/tpu, but the kind Job has no "
                          "containers there; did you mean spec.template.spec.containers?"));
  EXPECT_THAT(Told("apiVersion: batch/v1\nkind: Job", "spec: {template: {spec: " + pod + "}}"),
              IsEmpty());
}

TEST(MisplacedContainers, WhatOnlySpeaksOfChipsIsNone) {
  const std::string job = "apiVersion: batch/v1\nkind: Job";
  for (const std::string rest :
       {"spec: {containers: [{name: a}]}",              // no chips
        "spec: {containers: {google.com/tpu: 4}}",      // no list
        "spec: {hard: {limits: {google.com/tpu: 4}}}",  // no containers
        "status: {containers: [{resources: {limits: {google.com/tpu: 4}}}]}"}) {
    EXPECT_THAT(Told(job, rest), IsEmpty()) << rest;
  }
  EXPECT_THAT(
      Told("apiVersion: v1\nkind: ResourceQuota", "spec: {hard: {requests.google.com/tpu: 4}}"),
      IsEmpty());
  EXPECT_THAT(Told("apiVersion: v1\nkind: LimitRange",
                   "spec: {limits: [{type: Container, max: {google.com/tpu: 4}}]}"),
              IsEmpty());
}

// Their other places are not ours to know: a newer version's, a runtime's, a policy's kind.
TEST(MisplacedContainers, NothingIsSaidOfKindsThatMayHaveMorePlaces) {
  const std::string rest = "spec: {more: {containers: " + kChips + "}}";
  EXPECT_THAT(Told("apiVersion: batch/v9\nkind: Job", rest), IsEmpty());
  EXPECT_THAT(Told("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob", rest), IsEmpty());
  EXPECT_THAT(Told("apiVersion: argoproj.io/v1alpha1\nkind: Workflow", rest), IsEmpty());
}

}  // namespace
}  // namespace tpu_admission::offline::misplaced_containers_test
