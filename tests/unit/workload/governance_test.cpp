// Who else has a say: parents, other controllers, Kueue.
#include <gtest/gtest.h>

#include "support/case_name.h"
#include "unit/workload/reading.h"

namespace tpu_admission::workload::governance_test {
namespace {

using nlohmann::json;

const json kTpus = {{"spec", PodSpecOf()}};

struct Parent {
  std::string name;
  std::string group;  // of the child
  std::string kind;
  std::string pods;  // where its template is
  std::string owner_version;
  std::string owner;
  bool known;
};

class Owners : public testing::TestWithParam<Parent> {};

TEST_P(Owners, WereJudgedIfTheyHavePodsOfTheirOwn) {
  Reading reading;
  json child = {{"metadata",
                 {{"ownerReferences", json::array({{{"apiVersion", GetParam().owner_version},
                                                    {"kind", GetParam().owner},
                                                    {"controller", true}}})}}}};
  child = Put(child, GetParam().pods, GetParam().pods == "/spec" ? PodSpecOf() : kTpus);
  const Workload workload = reading.Of(GetParam().group, GetParam().kind, child);
  ASSERT_EQ(workload.pod_sets.size(), 1U);
  EXPECT_EQ(workload.has_known_parent, GetParam().known);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Owners,
    testing::Values(Parent{"PodOfARayCluster", "", "Pod", "/spec", "ray.io/v1", "RayCluster", true},
                    Parent{"RayClusterOfARayJob", "ray.io", "RayCluster",
                           "/spec/headGroupSpec/template", "ray.io/v1alpha1", "RayJob", true},
                    Parent{"RayClusterOfARayService", "ray.io", "RayCluster",
                           "/spec/headGroupSpec/template", "ray.io/v1", "RayService", true},
                    Parent{"LwsLeaders", "apps", "StatefulSet", "/spec/template",
                           "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", true},
                    Parent{"LwsWorkersBelongToTheLeaderPod", "apps", "StatefulSet",
                           "/spec/template", "v1", "Pod", true},
                    Parent{"JobOfAJobSet", "batch", "Job", "/spec/template",
                           "jobset.x-k8s.io/v1alpha2", "JobSet", true},
                    Parent{"JobOfAPathwaysJob", "batch", "Job", "/spec/template",
                           "pathways-job.pathways.domain/v1", "PathwaysJob", true},
                    Parent{"PodOfAWorkflow", "", "Pod", "/spec", "argoproj.io/v1alpha1", "Workflow",
                           true},
                    // Nobody has judged the pods of a TrainJob: their template stands in a runtime.
                    Parent{"JobOfATrainJob", "batch", "Job", "/spec/template",
                           "trainer.kubeflow.org/v1alpha1", "TrainJob", false},
                    Parent{"PodOfARuntime", "", "Pod", "/spec", "trainer.kubeflow.org/v1alpha1",
                           "TrainingRuntime", false},
                    Parent{"PodOfAComputeClass", "", "Pod", "/spec", "cloud.google.com/v1",
                           "ComputeClass", false},
                    Parent{"PodOfANode", "", "Pod", "/spec", "v1", "Node", false}),
    CaseName());

TEST(Owners, JobSetOfATrainJobIsJudgedItself) {
  Reading reading;
  const json job = {{"template", {{"spec", {{"parallelism", 3}, {"template", kTpus}}}}}};
  const json set = {
      {"metadata",
       {{"ownerReferences", json::array({{{"apiVersion", "trainer.kubeflow.org/v1alpha1"},
                                          {"kind", "TrainJob"},
                                          {"controller", true}}})}}},
      {"spec", {{"replicatedJobs", json::array({job})}}}};
  EXPECT_FALSE(reading.Of("jobset.x-k8s.io", "JobSet", set).has_known_parent);
}

struct Manager {
  std::string name;
  std::string pointer;
  json value;
  bool elsewhere;
};

class Managers : public testing::TestWithParam<Manager> {};

TEST_P(Managers, AreTheUsualOnesOrOthers) {
  Reading reading;
  const json job = Put({{"spec", {{"template", kTpus}}}}, GetParam().pointer, GetParam().value);
  EXPECT_EQ(reading.Of("batch", "Job", job).managed_elsewhere, GetParam().elsewhere);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Managers,
    testing::Values(
        Manager{"Job", "/spec/managedBy", "kubernetes.io/job-controller", false},
        Manager{"JobSet", "/spec/managedBy", "jobset.sigs.k8s.io/jobset-controller", false},
        Manager{"KubeRay", "/spec/managedBy", "ray.io/kuberay-operator", false},
        Manager{"TrainJob", "/spec/managedBy", "trainer.kubeflow.org/trainjob-controller", false},
        Manager{"Kubeflow", "/spec/runPolicy/managedBy", "kubeflow.org/training-operator", false},
        Manager{"MultiKueue", "/spec/managedBy", "kueue.x-k8s.io/multikueue", true},
        Manager{"KubeflowMultiKueue", "/spec/runPolicy/managedBy", "kueue.x-k8s.io/multikueue",
                true},
        Manager{"Empty", "/spec/managedBy", "", false},
        Manager{"WrongType", "/spec/managedBy", 4, false}),
    CaseName());

TEST(Queues, AreNamedOnTheObjectTheJobTemplateOrThePods) {
  Reading reading;
  const std::string queue = "/labels/kueue.x-k8s.io~1queue-name";
  const json cron = {{"spec", {{"jobTemplate", {{"spec", {{"template", kTpus}}}}}}}};
  EXPECT_FALSE(reading.Of("batch", "CronJob", cron).queued);
  for (const std::string holder :
       {"/metadata", "/spec/jobTemplate/metadata", "/spec/jobTemplate/spec/template/metadata"}) {
    EXPECT_TRUE(reading.Of("batch", "CronJob", Put(cron, holder + queue, "q")).queued) << holder;
  }
  const json kubeflow = {{"spec", {{"jaxReplicaSpecs", {{"Worker", {{"template", kTpus}}}}}}}};
  EXPECT_TRUE(
      reading.Of("kubeflow.org", "JAXJob", Put(kubeflow, "/spec/runPolicy/suspend", true)).queued);
}

}  // namespace
}  // namespace tpu_admission::workload::governance_test
