// Who a worker is, by the labels and names that the controllers give its pod.
#include "tpu_admission/workload/worker_identity.h"

#include <gtest/gtest.h>

#include "support/case_name.h"
#include "unit/workload/reading.h"

namespace tpu_admission::workload::worker_identity_test {
namespace {

using nlohmann::json;

json Labels(const std::string& text) { return json::parse("{" + text + "}"); }

const json kJobSet = Labels(R"("jobset.sigs.k8s.io/jobset-name":"ms",
    "jobset.sigs.k8s.io/replicatedjob-name":"w", "jobset.sigs.k8s.io/replicatedjob-replicas":"2",
    "jobset.sigs.k8s.io/job-index":"1", "batch.kubernetes.io/job-name":"ms-w-1",
    "batch.kubernetes.io/job-completion-index":"2")");
const json kJob = Labels(R"("batch.kubernetes.io/job-name":"train",
    "batch.kubernetes.io/job-completion-index":"2")");
const json kRay = Labels(R"("ray.io/node-type":"worker", "ray.io/group":"test-group",
    "ray.io/cluster":"test-cluster", "ray.io/worker-group-replica-index":"1",
    "ray.io/replica-host-index":"3")");
const json kKubeflow = Labels(R"("training.kubeflow.org/job-name":"tune",
    "training.kubeflow.org/replica-type":"worker", "training.kubeflow.org/replica-index":"5")");

json With(json labels, const std::string& key, const std::string& value) {
  labels[key] = value;
  return labels;
}
json Without(json labels, const std::string& key) {
  labels.erase(key);
  return labels;
}

struct Case {
  std::string name;
  std::string owner;  // "batch/v1 Job"
  std::string pod;
  json labels;
  json spec = json::object();  // beside the container
  std::int64_t workers = 4;
  // What comes of it, one line; of what is not known, a part of why.
  std::string expected;
};

json PodOf(const Case& of) {
  const std::size_t space = of.owner.find(' ');
  json spec = PodSpecOf();
  spec.update(of.spec);
  json pod = {{"metadata", {{"name", of.pod}, {"labels", of.labels}}}, {"spec", spec}};
  if (!of.owner.empty()) {
    pod["metadata"]["ownerReferences"] = json::array({{{"apiVersion", of.owner.substr(0, space)},
                                                       {"kind", of.owner.substr(space + 1)},
                                                       {"controller", true}}});
  }
  return pod;
}

std::string Told(const k8s::Pod& pod, std::int64_t workers) {
  const IdentityRow* row = IdentityRowOf(pod);
  if (row == nullptr) return "left alone";
  const auto answer = IdentityOf(*row, pod, workers);
  if (const auto* why = std::get_if<NoIdentity>(&answer)) return why->problem + "; " + why->change;
  const auto& identity = std::get<WorkerIdentity>(answer);
  const SliceGroup group = SliceGroupOf(*row, pod.metadata, identity);
  std::string text = std::string(row->kind) + " " + std::to_string(identity.id) + " of " +
                     identity.HostNames() + " in " + identity.name + " slice " +
                     std::to_string(identity.slice) + "/" + std::to_string(group.slices);
  if (!group.coordinator.empty()) text += " led by " + group.coordinator;
  return text;
}

class WorkerIdentities : public testing::TestWithParam<Case> {};

TEST_P(WorkerIdentities, ComeFromThePodAlone) {
  Reading reading;
  const Workload workload = reading.Of("", "Pod", PodOf(GetParam()));
  ASSERT_EQ(workload.pod_sets.size(), 1U);
  const std::string told = Told(workload.pod_sets[0].pod, GetParam().workers);
  EXPECT_NE(told.find(GetParam().expected), told.npos) << told;
}

const json kIn = {{"subdomain", "ms"}};
const json kOfJob = {{"subdomain", "train"}};
const json kServe = {{"subdomain", "serve"}};

INSTANTIATE_TEST_SUITE_P(
    Known, WorkerIdentities,
    testing::Values(
        Case{"JobSet", "batch/v1 Job", "ms-w-1-2-xyzab", kJobSet, kIn, 4,
             "JobSet 2 of ms-w-1-0.ms,ms-w-1-1.ms,ms-w-1-2.ms,ms-w-1-3.ms in ms-w-1 slice 1/2 led "
             "by ms-w-0-0.ms"},
        Case{"JobSetInADefaultGroup", "batch/v1 Job", "ms-w-1-2-xyzab",
             With(kJobSet, "jobset.sigs.k8s.io/group-name", "default"), kIn, 4, "slice 1/2 led by"},
        Case{"Job", "batch/v1 Job", "train-2-abcde", kJob, kOfJob, 4,
             "Job 2 of train-0.train,train-1.train,train-2.train,train-3.train in train-0 slice "
             "0/0"},
        Case{"JobOfTwoSlices", "batch/v1 Job", "train-2-abcde", kJob, kOfJob, 2,
             "Job 0 of train-2.train,train-3.train in train-1 slice 1/0"},
        Case{"StatefulSet", "apps/v1 StatefulSet", "serve-6", json::object(), kServe, 4,
             "StatefulSet 2 of serve-4.serve,serve-5.serve,serve-6.serve,serve-7.serve in serve-1 "
             "slice 1/0"},
        Case{"Ray", "ray.io/v1 RayCluster", "x", kRay, json::object(), 4,
             "RayCluster 3 of test-group-1-0.test-cluster-headless,"
             "test-group-1-1.test-cluster-headless,test-group-1-2.test-cluster-headless,"
             "test-group-1-3.test-cluster-headless in test-group-1 slice 1/0 led by "
             "test-group-0-0.test-cluster-headless"},
        // kuberay-tpu-webhook cuts this name to 50 characters; KubeRay has not since 1.4.
        Case{"RayWithALongName", "ray.io/v1 RayCluster", "x",
             With(kRay, "ray.io/cluster", std::string(50, 'c')), json::object(), 4,
             "test-group-1-0." + std::string(50, 'c') + "-headless,"},
        Case{"RayOnOneHost", "ray.io/v1 RayCluster", "x",
             Without(kRay, "ray.io/replica-host-index"), json::object(), 1,
             "RayCluster 0 of test-group-1-0 in test-group-1 slice 1/0"},
        Case{"JaxJob", "kubeflow.org/v1 JAXJob", "tune-worker-5", kKubeflow, json::object(), 4,
             "JAXJob 1 of tune-worker-4,tune-worker-5,tune-worker-6,tune-worker-7 in tune-1"},
        Case{"PyTorchJobOfWorkers", "kubeflow.org/v1 PyTorchJob", "tune-worker-5", kKubeflow,
             json::object(), 8, "PyTorchJob 5 of tune-worker-0,"},
        Case{"MpiJob",
             "kubeflow.org/v2beta1 MPIJob",
             "tune-worker-5",
             kKubeflow,
             {{"subdomain", "tune"}, {"hostname", "tune-worker-5"}},
             8,
             "MPIJob 5 of tune-worker-0.tune,"}),
    CaseName());

const json kMaster = json::parse(R"({"containers": [{"name": "t",
    "resources": {"limits": {"google.com/tpu": 4}},
    "env": [{"name": "MASTER_ADDR", "value": "tune-master-0"}]}]})");

INSTANTIATE_TEST_SUITE_P(
    NotKnown, WorkerIdentities,
    testing::Values(
        Case{"JobNotIndexed", "batch/v1 Job", "train-abcde",
             Without(kJob, "batch.kubernetes.io/job-completion-index"), kOfJob, 4,
             "has no batch.kubernetes.io/job-completion-index, so its number among the workers is "
             "not known; set completionMode: Indexed in the Job"},
        Case{"JobWithoutSubdomain", "batch/v1 Job", "train-2-abcde", kJob, json::object(), 4,
             "has no subdomain, so its workers have no names in DNS"},
        Case{"TwoSlicesInOneJobOfAJobSet", "batch/v1 Job", "x", kJobSet, kIn, 2,
             "has number 2, but a slice has 2 workers"},
        Case{"JobSetInAGroup", "batch/v1 Job", "x",
             With(kJobSet, "jobset.sigs.k8s.io/group-name", "train"), kIn, 4, "ms-w-1 slice 1/0"},
        Case{"OlderKubeRay", "ray.io/v1 RayCluster", "x",
             Without(kRay, "ray.io/replica-host-index"), json::object(), 4,
             "has no ray.io/replica-host-index, so its number among the workers is not known; use "
             "KubeRay 1.6"},
        Case{"OlderKubeRayOnOneHost", "ray.io/v1 RayCluster", "x",
             Without(Without(kRay, "ray.io/replica-host-index"),
                     "ray.io/worker-group-replica-index"),
             json::object(), 1, "has no ray.io/worker-group-replica-index"},
        Case{"RayWithAGroupThatIsNoName", "ray.io/v1 RayCluster", "x",
             With(kRay, "ray.io/group", "Tpu_group"), json::object(), 4, "are no DNS labels"},
        Case{"RayWithAHostNameOfTheUser",
             "ray.io/v1 RayCluster",
             "x",
             kRay,
             {{"hostname", "mine"}},
             4,
             "is called \"mine\", but as worker 3 the others would look for \"test-group-1-3\""},
        Case{"RayWithASubdomainOfTheUser",
             "ray.io/v1 RayCluster",
             "x",
             kRay,
             {{"subdomain", "mine"}},
             4,
             "has the subdomain \"mine\""},
        Case{"SubdomainThatIsNoLabel",
             "batch/v1 Job",
             "x",
             kJob,
             {{"subdomain", "a.b"}},
             4,
             "has the subdomain \"a.b\", which is no DNS label"},
        Case{"LongNames", "apps/v1 StatefulSet", std::string(60, 's') + "-996", json::object(),
             kServe, 4, "are no DNS labels"},
        Case{"StatefulSetByAnotherName", "apps/v1 StatefulSet", "serve", json::object(), kServe, 4,
             "has no number at the end of its name"},
        Case{"PyTorchJobWithAMaster", "kubeflow.org/v1 PyTorchJob", "tune-worker-5", kKubeflow,
             kMaster, 4, "follows a master"},
        // runLauncherAsWorker: the launcher is number 0, and the pod's name says one less.
        Case{"MpiJobWhoseLauncherWorks",
             "kubeflow.org/v2beta1 MPIJob",
             "tune-worker-4",
             kKubeflow,
             {{"subdomain", "tune"}, {"hostname", "tune-worker-4"}},
             8,
             "is called"},
        Case{"NumberOutOfReach", "batch/v1 Job", "x",
             With(kJob, "batch.kubernetes.io/job-completion-index", "99999999999999999999"), kOfJob,
             4, "so its number among the workers is not known"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    LeftAlone, WorkerIdentities,
    testing::Values(
        Case{"LeaderWorkerSet", "apps/v1 StatefulSet", "lws-0-1",
             Labels(R"("leaderworkerset.sigs.k8s.io/name":"lws")"), kServe, 4, "left alone"},
        // kubectl debug --copy-to keeps labels, and nobody owns the copy.
        Case{"CopyOfAWorker", "", "train-debug", kJob, kOfJob, 4, "left alone"},
        Case{"RayHead", "ray.io/v1 RayCluster", "x", With(kRay, "ray.io/node-type", "head"),
             json::object(), 4, "left alone"},
        Case{"ReplicaSet", "apps/v1 ReplicaSet", "x-1", json::object(), kServe, 4, "left alone"},
        Case{"SomebodysStatefulSet", "example.com/v1 StatefulSet", "x-1", json::object(), kServe, 4,
             "left alone"}),
    CaseName());

TEST(WorkerIdentity, OfNoWorkersHasNoNames) {
  WorkerIdentity identity;
  identity.workers = 0;
  EXPECT_EQ(identity.HostNames(), "");
}

TEST(WorkerIdentity, IsOneForEachMemberAndTheNamesAreTheSame) {
  Reading reading;
  std::string names;
  for (int i = 0; i < 64; ++i) {
    const Case member{
        "", "apps/v1 StatefulSet", "serve-" + std::to_string(64 + i), json::object(), kServe, 64,
        ""};
    const Workload workload = reading.Of("", "Pod", PodOf(member));
    const k8s::Pod& pod = workload.pod_sets[0].pod;
    const auto identity = std::get<WorkerIdentity>(IdentityOf(*IdentityRowOf(pod), pod, 64));
    EXPECT_EQ(identity.id, i);
    EXPECT_EQ(identity.HostLabel(), member.pod);
    if (i == 0) names = identity.HostNames();
    EXPECT_EQ(identity.HostNames(), names);
  }
}

TEST(DnsLabels, AreThoseOfRfc1123) {
  for (const char* good : {"a", "0", "a-b", "serve-4"}) EXPECT_TRUE(IsDnsLabel(good)) << good;
  for (const char* bad : {"", "-a", "a-", "A", "a_b", "a.b", "\"", "\xC3\xBC"}) {
    EXPECT_FALSE(IsDnsLabel(bad)) << bad;
  }
  EXPECT_TRUE(IsDnsLabel(std::string(63, 'a')));
  EXPECT_FALSE(IsDnsLabel(std::string(64, 'a')));
}

}  // namespace
}  // namespace tpu_admission::workload::worker_identity_test
