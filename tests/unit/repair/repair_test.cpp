// What the repairs of manifests that people write are. That each is sound is proven for every
// corruption by tests/properties/repair_properties; here is which comes first, and how it reads.
#include "tpu_admission/repair/repair.h"

#include <gmock/gmock.h>

#include "support/repairs.h"
#include "support/with.h"
#include "tpu_admission/admission/repairs.h"

namespace tpu_admission::admission::repair_test {
namespace {

using repair::Repair;
using support::With;

struct Pods {
  std::string accelerator = "tpu-v6e-slice";
  std::string topology = "4x4";
  std::string chips = "4";
  std::string more = {};  // lines of the pod's spec
};

std::string PodSpec(const Pods& pods) {
  return "{nodeSelector: {cloud.google.com/gke-tpu-accelerator: " + pods.accelerator +
         ", cloud.google.com/gke-tpu-topology: " + pods.topology + "}, subdomain: s, " + pods.more +
         "containers: [{name: c, image: i, resources: {requests: {cpu: 1, memory: 1Gi}, limits: "
         "{google.com/tpu: " +
         pods.chips + "}}}]}";
}

std::string Job(const Pods& pods, int parallelism) {
  const std::string count = std::to_string(parallelism);
  return "{apiVersion: batch/v1, kind: Job, metadata: {name: train}, spec: {parallelism: " + count +
         ", completions: " + count +
         ", completionMode: Indexed, template: {spec: " + PodSpec(pods) + "}}}";
}

std::string RayCluster(const Pods& pods, const std::string& counts) {
  return "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r}, spec: {headGroupSpec: "
         "{template: {spec: {containers: [{name: h, image: i}]}}}, workerGroupSpecs: [{groupName: "
         "g, " +
         counts + ", template: {spec: " + PodSpec(pods) + "}}]}}";
}

std::string JobSet(const Pods& pods, int replicas, int parallelism) {
  const std::string count = std::to_string(parallelism);
  return "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s}, spec: "
         "{replicatedJobs: [{name: w, replicas: " +
         std::to_string(replicas) + ", template: {spec: {parallelism: " + count +
         ", completions: " + count + ", template: {spec: " + PodSpec(pods) + "}}}}]}}";
}

std::string Group(int size, const Pods& leader, const Pods& workers) {
  return "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: s}, "
         "spec: {replicas: 1, leaderWorkerTemplate: {size: " +
         std::to_string(size) + ", leaderTemplate: {spec: " + PodSpec(leader) +
         "}, workerTemplate: {spec: " + PodSpec(workers) + "}}}}";
}

std::string PyTorchJob(int workers, const Pods& master, const Pods& others) {
  return "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: s}, spec: "
         "{pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: " +
         PodSpec(master) + "}}, Worker: {replicas: " + std::to_string(workers) +
         ", template: {spec: " + PodSpec(others) + "}}}}}";
}

std::string StatefulSet(const Pods& pods, int replicas) {
  return "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {replicas: " +
         std::to_string(replicas) + ", serviceName: s, podManagementPolicy: Parallel, " +
         "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: " +
         PodSpec(pods) + "}}}";
}

// "title | changes" of each repair.
std::vector<std::string> RepairsOf(const std::string& yaml,
                                   const Settings& settings = support::StandardSettings()) {
  std::vector<std::string> lines;
  for (const Repair& repair : support::RepairsOfYaml(yaml, settings)) {
    lines.push_back(repair.Title() + " | " + repair.changes);
    for (const repair::Beside& beside : repair.beside)
      lines.back() += " | " + std::string(beside.rule);
  }
  return lines;
}

std::string First(const std::string& yaml) {
  const std::vector<std::string> repairs = RepairsOf(yaml);
  return repairs.empty() ? "" : repairs.front();
}

TEST(Repair, OfASoundWorkloadIsNone) { EXPECT_THAT(RepairsOf(Job({}, 4)), ::testing::IsEmpty()); }

TEST(Repair, KeepsTheChipsThatTheWholeAsksFor) {
  const std::string chips = "16 chips on 4 hosts | containers[0] google.com/tpu: 4";
  EXPECT_EQ(First(Job({.chips = "1"}, 16)),
            "keep 4x4, " + chips + ", parallelism: 4, completions: 4");
  EXPECT_EQ(First(Job({.chips = "8"}, 2)),
            "keep 4x4, " + chips + ", parallelism: 4, completions: 4");
  EXPECT_EQ(First(Job({.chips = "16"}, 4)), "keep 4x4, " + chips);
}

TEST(Repair, SaysWhatChangesInChips) {
  EXPECT_THAT(First(Job({.accelerator = "tpu-v4-podslice", .topology = "4x4x6"}, 24)),
              ::testing::HasSubstr("chips become"));
}

// Each pod of a Deployment is by itself, so what is changed is changed in all of them.
TEST(Repair, CountsTheChipsOfAllPodsOfADeployment) {
  const auto deployment = [](int replicas) {
    return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: " +
           std::to_string(replicas) +
           ", selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: " +
           PodSpec({.topology = "2x4", .chips = "3"}) + "}}}";
  };
  EXPECT_THAT(RepairsOf(deployment(3)),
              ::testing::IsSupersetOf(
                  {"keep 2x4, 3 pods of 8 chips | containers[0] google.com/tpu: 8",
                   "2x2, 3 pods of 4 chips (24 chips become 12) | topology: 2x2, containers[0] "
                   "google.com/tpu: 4"}));
  const std::string one = "keep 2x4, 8 chips on 1 host | containers[0] google.com/tpu: 8";
  EXPECT_EQ(First(deployment(1)), one);
  EXPECT_EQ(First(deployment(0)), one);
}

TEST(Repair, SetsHostsAndSlicesOfARayGroupTogether) {
  EXPECT_EQ(First(RayCluster({}, "replicas: 4")),
            "keep 4x4, 16 chips on 4 hosts | numOfHosts: 4, replicas: 1");
}

// KubeRay makes no more replicas than maxReplicas, and no fewer than minReplicas.
TEST(Repair, MovesTheBoundsOfARayGroupWithItsReplicas) {
  EXPECT_THAT(RepairsOf(RayCluster({.topology = "2x4", .chips = "8"},
                                   "replicas: 1, minReplicas: 1, maxReplicas: 1, numOfHosts: 3")),
              ::testing::Contains(
                  "keep 2x4, 3 slices of 8 chips | numOfHosts: 1, replicas: 3, maxReplicas: 3"));
  EXPECT_THAT(
      RepairsOf(RayCluster({}, "replicas: 4, minReplicas: 4, maxReplicas: 9, numOfHosts: 1")),
      ::testing::Contains(
          "keep 4x4, 16 chips on 4 hosts | numOfHosts: 4, replicas: 1, minReplicas: 1, "
          "maxReplicas: 2"));
}

// Before all else the chips are kept, where some shape of them is sound; then both say the same.
TEST(Repair, KeepsTheChipsBeforeItDoesWhatTheFindingsSay) {
  EXPECT_THAT(RepairsOf(RayCluster({}, "replicas: 2, numOfHosts: 2")),
              ::testing::ElementsAre(
                  "keep 4x4, 16 chips on 4 hosts | numOfHosts: 4, replicas: 1", ::testing::_,
                  "keep 4x4, 2 slices of 16 chips (16 chips become 32) | numOfHosts: 4"));
  EXPECT_EQ(First(Job({.topology = "4X4"}, 2)),
            "2x4, 8 chips on 2 hosts | topology: 2x4, gke-accelerator-count: \"4\"");
  EXPECT_EQ(First(Job({.accelerator = "tpu-v5p-slice", .topology = "4x4x6"}, 24)),
            "4x4x8, 128 chips on 32 hosts (96 chips become 128) | topology: 4x4x8, parallelism: "
            "32, completions: 32");
}

// As many pods as the topology has hosts: both say the same, and only the chips are wrong.
TEST(Repair, KeepsTopologyAndPodsThatAgree) {
  const std::string kept = "keep 4x4, 16 chips on 4 hosts | containers[0] google.com/tpu: 4";
  for (const char* const chips : {"1", "2", "3", "8", "16"}) {
    EXPECT_EQ(First(Job({.chips = chips}, 4)), kept) << chips;
  }
  EXPECT_EQ(First(JobSet({.chips = "8"}, 2, 4)),
            "keep 4x4, 2 slices of 16 chips | containers[0] google.com/tpu: 4");
  EXPECT_EQ(First(Job({.topology = "2x4", .chips = "2"}, 2)),
            "keep 2x4, 8 chips on 2 hosts | gke-accelerator-count: \"4\", containers[0] "
            "google.com/tpu: 4");
  EXPECT_EQ(First(Job({.accelerator = "tpu-v5p-slice", .topology = "4x4", .chips = "1"}, 4)),
            "2x2x4, 16 chips on 4 hosts | topology: 2x2x4, containers[0] google.com/tpu: 4");
}

// What the findings say may bring a warning that nobody could see before; it is named beside.
TEST(Repair, PutsTheDimensionsInOrder) {
  std::string job = Job({.accelerator = "tpu-v5p-slice", .topology = "8x8x4"}, 1);
  for (const std::string_view count : {"parallelism: 1, ", "completions: 1, "}) {
    job.erase(job.find(count), count.size());
  }
  EXPECT_EQ(First(job),
            "4x8x8, 256 chips on 64 hosts | topology: 4x8x8, parallelism: 64, completions: 64");
}

TEST(Repair, CountsTheSlicesOfAJobSet) {
  EXPECT_EQ(First(JobSet({}, 2, 2)),
            "keep 4x4, 16 chips on 4 hosts | parallelism: 4, completions: "
            "4, replicas: 1");
}

// Kueue gives the pods a part of the node pool's slices: neither the pool nor the part changes.
std::string CutTo2x4(std::string yaml) {
  return With(std::move(yaml), "template: {spec: {nodeSelector",
              "template: {metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology:"
              " 2x4, kueue.x-k8s.io/podset-required-topology: "
              "cloud.google.com/gke-tpu-slice-2x4-id}}, spec: {nodeSelector");
}

TEST(Repair, KeepsTheNodePoolWhoseSlicesAreCut) {
  EXPECT_THAT(
      RepairsOf(CutTo2x4(RayCluster({}, "replicas: 1, numOfHosts: 4"))),
      ::testing::ElementsAre("keep 2x4, 8 chips on 2 hosts (16 chips become 8) | numOfHosts: 2"));
  EXPECT_THAT(RepairsOf(CutTo2x4(Job({.chips = "8"}, 1))),
              ::testing::ElementsAre("keep 2x4, 8 chips on 2 hosts | containers[0] google.com/tpu: "
                                     "4, parallelism: 2, completions: 2"));
}

// Somebody else is to fill it in, such as Helm.
TEST(Repair, WritesOverNoPlaceholder) {
  EXPECT_THAT(RepairsOf(Job({.topology = "\"${T}\"", .chips = "3"}, 4)), ::testing::IsEmpty());
  EXPECT_THAT(RepairsOf(Job({.chips = "\"{{ chips }}\""}, 3)), ::testing::IsEmpty());
  EXPECT_THAT(RepairsOf(With(Job({}, 3), "completions: 3", "completions: \"${N}\"")),
              ::testing::IsEmpty());
}

TEST(Repair, NamesTheGenerationThatWasMeant) {
  EXPECT_EQ(First(Job({.accelerator = "tpu-v6e-podslice"}, 4)),
            "keep 4x4, 16 chips on 4 hosts | accelerator: tpu-v6e-slice");
}

TEST(Repair, TellsNoChoiceThatOnlyChangesMore) {
  EXPECT_EQ(RepairsOf(Job({.accelerator = "tpu-v6e-podslice"}, 4)).size(), 1U);
}

TEST(Repair, IsNoneWhereAPersonMustChoose) {
  EXPECT_THAT(RepairsOf(Job({.accelerator = "\"{{ .accelerator }}\"", .chips = "8"}, 2)),
              ::testing::IsEmpty());
}

TEST(Repair, FitsMemoryToTheMachine) {
  EXPECT_EQ(First(With(Job({}, 4), "memory: 1Gi", "memory: 720Gi")),
            "keep 4x4, 16 chips on 4 hosts | containers[0] request of memory: 653Gi");
}

// What the findings themselves would change, beside the shape.
TEST(Repair, TakesTheGpuFromAContainerWithChips) {
  EXPECT_EQ(First(With(Job({}, 4), "limits: {", "limits: {nvidia.com/gpu: 1, ")),
            "keep 4x4, 16 chips on 4 hosts | containers[0] limit of nvidia.com/gpu: (removed)");
}

TEST(Repair, BringsTheRegionToTheZone) {
  EXPECT_EQ(First(With(Job({}, 4), "nodeSelector: {",
                       "nodeSelector: {topology.kubernetes.io/zone: us-east5-b, "
                       "topology.kubernetes.io/region: me-west1, ")),
            "keep 4x4, 16 chips on 4 hosts | topology.kubernetes.io/region: us-east5");
}

TEST(Repair, RaisesALimitBelowItsRequest) {
  EXPECT_EQ(First(With(Job({}, 4), "limits: {", "limits: {memory: 512Mi, ")),
            "keep 4x4, 16 chips on 4 hosts | containers[0] limit of memory: 1Gi");
  const std::string exact = "1.0000000000000000000000000Gi";  // longer than what is shown of it
  const std::string long_one = With(Job({}, 4), "memory: 1Gi", "memory: " + exact);
  EXPECT_EQ(First(With(long_one, "limits: {", "limits: {memory: 512Mi, ")),
            "keep 4x4, 16 chips on 4 hosts | containers[0] limit of memory: " + exact);
}

TEST(Repair, LowersAnInitContainerOfTheMachinesSize) {
  EXPECT_EQ(First(Job({.more = "initContainers: [{name: i, image: i, resources: {requests: {cpu: "
                               "180}}}], "},
                      4)),
            "keep 4x4, 16 chips on 4 hosts | initContainers[0] request of cpu: 170");
}

std::string Affinity(const std::string& topology) {
  return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [{matchExpressions: [{key: cloud.google.com/gke-tpu-topology, "
         "operator: In, values: [" +
         topology + "]}]}]}}}, ";
}

// One of two values that contradict each other is none that the generation has. Where a label may
// stand in two places, the place is told.
TEST(Repair, KeepsTheValueThatExists) {
  EXPECT_EQ(First(Job({.more = Affinity("1x2x3")}, 4)),
            "keep 4x4, 16 chips on 4 hosts | affinity topology: 4x4");
  EXPECT_EQ(First(Job({.topology = "3x5", .more = Affinity("4x4")}, 4)),
            "keep 4x4, 16 chips on 4 hosts | nodeSelector topology: 4x4");
  EXPECT_EQ(First(Job({.more = Affinity("2x4")}, 4)), "");
}

TEST(Repair, MovesChipsOfThePodToItsContainer) {
  EXPECT_EQ(First(Job({.chips = "0", .more = "resources: {limits: {google.com/tpu: 4}}, "}, 4)),
            "keep 4x4, 16 chips on 4 hosts | containers[0] google.com/tpu: 4, google.com/tpu of "
            "the pod: (removed)");
}

// On Ironwood containers share a host: how they do so stays.
TEST(Repair, KeepsHowContainersShareAHost) {
  const Pods pods{.accelerator = "tpu7x", .topology = "2x2x2", .chips = "2"};
  const std::string shared = With(Job(pods, 3), "containers: [",
                                  "containers: [{name: d, image: i, resources: {requests: {cpu: 1, "
                                  "memory: 1Gi}, limits: {google.com/tpu: 2}}}, ");
  EXPECT_EQ(First(shared),
            "keep 2x2x2, 8 chips on 2 hosts (12 chips become 8) | parallelism: 2, completions: 2");
}

std::string Why(const std::string& yaml) {
  const std::string json = ParseYaml(yaml).value().front().json;
  k8s::JsonParser parser;
  const k8s::JsonView object = parser.Parse(json).value();
  const Settings& settings = support::StandardSettings();
  k8s::Arena arena;
  return WhyNoRepair(
      Judge(settings, {k8s::GvkOf(object), object, {}, "default", {}}, arena).decision.findings);
}

TEST(Repair, WhereThereIsNoneSomebodyMustDecide) {
  const std::string shared = With(Job({.chips = "2"}, 4), "containers: [",
                                  "containers: [{name: d, image: i, resources: {requests: {cpu: 1, "
                                  "memory: 1Gi}, limits: {google.com/tpu: 2}}}, ");
  EXPECT_THAT(RepairsOf(shared), ::testing::IsEmpty());
  EXPECT_EQ(Why(shared),
            "No repair is shown: only you can say which container is to have the chips "
            "(TPU303).\n");
  EXPECT_EQ(Why(Job({.more = Affinity("2x4")}, 4)),
            "No repair is shown: only you can say which of the two values is meant (TPU106).\n");
}

TEST(Repair, OfTooManyPodSetsIsNotLookedForAndThatIsSaid) {
  std::string yaml = JobSet({.chips = "8"}, 1, 2);
  const std::size_t begin = yaml.find("{name: w");
  const std::string one = yaml.substr(begin, yaml.rfind("]}}") - begin);
  for (int i = 1; i < 60; ++i) yaml.insert(begin, With(one, "w", "w" + std::to_string(i)) + ", ");
  EXPECT_THAT(RepairsOf(yaml), ::testing::IsEmpty());
  EXPECT_EQ(Why(yaml),
            "No repair is shown: too many pod sets have faults to try other shapes for all.\n");
}

TEST(Repair, OfMoreFaultsThanAreToldIsNotLookedForAndThatIsSaid) {
  std::string container = "{name: c0, image: i, resources: {limits: {google.com/tpu: 8}}}";
  std::string containers;
  for (int i = 1; i < 80; ++i) containers += With(container, "c0", "c" + std::to_string(i)) + ", ";
  std::string yaml =
      With(JobSet({.chips = "8"}, 1, 2), "containers: [", "containers: [" + containers);
  const std::size_t begin = yaml.find("{name: w");
  const std::string one = yaml.substr(begin, yaml.rfind("]}}") - begin);
  for (int i = 1; i < 6; ++i) yaml.insert(begin, With(one, "w", "w" + std::to_string(i)) + ", ");
  EXPECT_THAT(RepairsOf(yaml), ::testing::IsEmpty());
  EXPECT_THAT(Why(yaml), ::testing::HasSubstr("No repair is shown: "));
}

// What only warns may run as it is: nobody's chips are taken for a warning's sake.
TEST(Repair, OfAWarningChangesOnlyWhatTheFindingSays) {
  const std::string job = Job({}, 4);
  EXPECT_THAT(RepairsOf(With(job, "subdomain: s, ", "")), ::testing::IsEmpty());  // TPU409
  EXPECT_THAT(RepairsOf(With(job, "completions: 4", "completions: 8")), ::testing::IsEmpty());
  EXPECT_THAT(
      RepairsOf(With(job, "subdomain: s, ", "subdomain: s, hostNetwork: true, ")),
      ::testing::ElementsAre("keep 4x4, 16 chips on 4 hosts | dnsPolicy: ClusterFirstWithHostNet"));
}

// Whoever wrote "false" does not want Spot VMs.
TEST(Repair, OfASpotThatIsNotWantedIsNoSpot) {
  EXPECT_EQ(First(With(Job({}, 4), "nodeSelector: {",
                       "nodeSelector: {cloud.google.com/gke-spot: \"false\", ")),
            "keep 4x4, 16 chips on 4 hosts | cloud.google.com/gke-spot: (removed)");
}

// How often the search asks the judge about a JobSet with so many faulty replicated jobs, if no
// edit ever helps.
std::size_t Judgements(int jobs) {
  std::string yaml = JobSet({.topology = "4x6"}, 1, 6);
  const std::size_t begin = yaml.find("{name: w");
  const std::string one = yaml.substr(begin, yaml.rfind("]}}") - begin);
  for (int i = 1; i < jobs; ++i) yaml.insert(begin, one + ", ");
  const std::string json = ParseYaml(yaml).value().front().json;
  k8s::JsonParser parser;
  k8s::Arena arena;
  const k8s::JsonView object = parser.Parse(json).value();
  repair::Proof written;
  written.workload = workload::ReadWorkload({}, k8s::GvkOf(object), object, arena).value();
  EXPECT_EQ(written.workload.pod_sets.size(), std::size_t(jobs));
  for (const workload::PodSet& pods : written.workload.pod_sets) {
    written.faults.push_back({std::string(pods.pointer), {}});
  }
  std::size_t asked = 0;
  const auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value();
  EXPECT_THAT(FindRepairs(
                  *catalog, object, written, repair::Reach::kAnyShape,
                  [&](k8s::JsonView) {
                    ++asked;
                    return written;
                  },
                  arena),
              ::testing::IsEmpty());
  return asked;
}

// A user's object is judged again and again while its answer waits: the larger, the less often.
TEST(Repair, TakesNoLongerForALargeObject) {
  EXPECT_GT(Judgements(1), 5U);
  for (const int jobs : {2, 4, 8}) {
    EXPECT_GT(Judgements(jobs), 0U) << jobs;
    EXPECT_LE(Judgements(jobs) * std::size_t(jobs), repair::kMostCandidates) << jobs;
  }
  EXPECT_EQ(Judgements(50), 0U) << "not one for each: there is no use in beginning";
}

TEST(Repair, MendsAllOfSeveralReplicatedJobs) {
  const std::string first = JobSet({.chips = "8"}, 1, 2);
  const std::size_t begin = first.find("{name: w");
  std::string both = first;
  both.insert(begin,
              With(first.substr(begin, first.rfind("]}}") - begin), "name: w", "name: v") + ", ");
  EXPECT_EQ(First(both),
            "v: keep 4x4, 16 chips on 4 hosts; w: keep 4x4, 16 chips on 4 hosts | containers[0] "
            "google.com/tpu: 4, parallelism: 4, completions: 4");
}

TEST(Repair, NamesTheSetThatItChangesAmongSeveral) {
  const std::string sound = JobSet({}, 1, 4);
  const std::size_t begin = sound.find("{name: w");
  const std::string job = sound.substr(begin, sound.rfind("]}}") - begin);
  const auto beside = [&](const std::string& from, const std::string& to) {
    std::string both = sound;
    return First(both.insert(begin, With(With(job, "name: w", "name: v"), from, to) + ", "));
  };
  EXPECT_EQ(beside("google.com/tpu: 4", "google.com/tpu: 8"),
            "v: keep 4x4, 16 chips on 4 hosts | containers[0] google.com/tpu: 4");
  EXPECT_EQ(beside("tpu-v6e-slice", "tpu-v6e-slic"),
            "v: keep 4x4, 16 chips on 4 hosts | accelerator: tpu-v6e-slice");
}

// A node pool has one topology, and a node those of its pool.
TEST(Repair, KeepsTheTopologyOfANodePoolThatIsNamed) {
  const std::string job = Job({}, 2);
  EXPECT_THAT(RepairsOf(job), ::testing::SizeIs(3));
  const std::string keeps =
      "keep 4x4, 16 chips on 4 hosts (8 chips become 16) | parallelism: 4, completions: 4";
  const std::string in_pool = With(job, "nodeSelector: {",
                                   "nodeSelector: {cloud.google.com/"
                                   "gke-nodepool: tpus, ");
  EXPECT_THAT(RepairsOf(in_pool), ::testing::ElementsAre(keeps));
  const std::string on_host =
      With(job, "nodeSelector: {", "nodeSelector: {kubernetes.io/hostname: gke-1, ");
  EXPECT_THAT(RepairsOf(on_host), ::testing::ElementsAre(keeps + " | TPU114"));
}

// No node of a smaller slice lies in the level.
TEST(Repair, LeavesNoLevelBeyondTheSlice) {
  const std::string job =
      With(JobSet({.accelerator = "tpu7x", .topology = "4x4x8"}, 1, 32), "template: {spec: {nodeS",
           "template: {metadata: {annotations: {kueue.x-k8s.io/podset-slice-size: '8', "
           "kueue.x-k8s.io/podset-slice-required-topology: "
           "cloud.google.com/gke-tpu-partition-4x4x4-id}}, spec: {nodeS");
  EXPECT_THAT(RepairsOf(job), ::testing::ElementsAre("keep 4x4x8, 128 chips on 32 hosts | "
                                                     "kueue.x-k8s.io/podset-slice-size: \"16\""));
}

TEST(Repair, NamesTheLabelOfTheSameChipsThatHasTheTopology) {
  EXPECT_EQ(First(Job({.accelerator = "tpu-v5-lite-device"}, 4)),
            "keep 4x4, 16 chips on 4 hosts | accelerator: tpu-v5-lite-podslice");
  EXPECT_EQ(First(Job({.accelerator = "tpu-v3-slice", .topology = "2x2"}, 1)),
            "keep 2x2, 4 chips on 1 host | accelerator: tpu-v3-device");
}

// One that runs has the number of slices of the whole, which the other changes.
TEST(Repair, NamesTheSetWhoseLineChangesWithAnother) {
  const std::string sound = JobSet({}, 1, 4);
  const std::size_t begin = sound.find("{name: w");
  const std::string job = sound.substr(begin, sound.rfind("]}}") - begin);
  std::string both = With(sound, "topology: 4x4", "topology: 3x3");
  both.insert(begin, With(With(job, "name: w", "name: v"), "image: i",
                          "image: i, env: [{name: MEGASCALE_NUM_SLICES, value: '3'}]") +
                         ", ");
  EXPECT_THAT(RepairsOf(both),
              ::testing::Contains("v: keep 4x4, 16 chips on 4 hosts; w: 4x4, 16 chips on 4 hosts | "
                                  "v: MEGASCALE_NUM_SLICES: \"2\"; w: topology: 4x4"));
}

// A DaemonSet whose pods select nodes by a line of their template.
std::string DaemonSet(const std::string& selection, const std::string& chips) {
  return R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: probe}
spec:
  selector: {matchLabels: {app: probe}}
  template:
    metadata: {labels: {app: probe}}
    spec:
      )" +
         selection + R"(
      tolerations: [{key: google.com/tpu, operator: Exists}]
      containers:
      - {name: jax, image: example.com/jax, resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: )" +
         chips + "}}}\n";
}

// 2x4 of v6e is one host with 8 chips or two with 4, whose nodes have the same labels but this one.
TEST(Repair, KeepsALeaderWithItsWorkers) {
  const Pods large{.topology = "4X4"};
  EXPECT_EQ(First(Group(4, large, large)), "4x4, 16 chips on 4 hosts | topology: 4x4");
  EXPECT_EQ(First(PyTorchJob(3, large, large)), "4x4, 16 chips on 4 hosts | topology: 4x4");
  for (const std::string& repair : RepairsOf(Group(4, {.chips = "8"}, {.chips = "8"}))) {
    EXPECT_EQ(repair.find("replicas"), repair.rfind("replicas")) << repair;
  }
}

TEST(Repair, OfASlipInOneSetChangesNoOther) {
  EXPECT_EQ(First(Group(4, {.topology = "4X4"}, {})),
            "keep 4x4, 16 chips on 4 hosts | topology: 4x4");
  EXPECT_EQ(First(Group(4, {}, {.topology = "4X4"})), "4x4, 16 chips on 4 hosts | topology: 4x4");
  EXPECT_EQ(First(PyTorchJob(3, {}, {.topology = "4X4"})),
            "keep 4x4, 16 chips on 4 hosts | topology: 4x4");
}

TEST(Repair, CountsTheChipsOfALeaderOnce) {
  EXPECT_THAT(RepairsOf(Group(3, {}, {})),
              ::testing::Contains("keep 4x4, 16 chips on 4 hosts (12 chips become 16) | size: 4"));
}

TEST(Repair, GivesTheLastOfSeveralTemplatesThePodsThatLack) {
  EXPECT_THAT(RepairsOf(PyTorchJob(2, {}, {})),
              ::testing::Contains(
                  "keep 4x4, 16 chips on 4 hosts (12 chips become 16) | Worker replicas: 3"));
}

TEST(Repair, OfANameIsLeftToAPerson) {
  const std::string job = Job({.topology = "8x8"}, 16);
  EXPECT_THAT(RepairsOf(With(job, "name: train", "name: " + std::string(61, 'n'))),
              ::testing::IsEmpty());
}

TEST(Repair, HasTheChipsOfTheLimit) {
  EXPECT_EQ(First(With(Job({}, 4), "requests: {", "requests: {google.com/tpu: 1, ")),
            "keep 4x4, 16 chips on 4 hosts | containers[0] google.com/tpu: 4");
}

TEST(Repair, HasTheChipsOfTheRequestWhereOnlyThatFits) {
  const auto requesting = [](std::string yaml, const std::string& chips) {
    return With(std::move(yaml), "requests: {", "requests: {google.com/tpu: " + chips + ", ");
  };
  EXPECT_EQ(First(requesting(JobSet({.chips = "1"}, 1, 4), "4")),
            "keep 4x4, 16 chips on 4 hosts | containers[0] google.com/tpu: 4");
  EXPECT_EQ(First(requesting(JobSet({.topology = "2x2", .chips = "8"}, 1, 1), "4")),
            "keep 2x2, 4 chips on 1 host | containers[0] google.com/tpu: 4");
}

// Each slice works for itself.
TEST(Repair, CutsNoSliceIntoSmallOnes) {
  const std::string keep = "keep 4x4, 16 chips on 4 hosts";
  for (const int pods : {3, 5, 6}) {
    EXPECT_THAT(First(JobSet({}, 1, pods)), ::testing::StartsWith(keep)) << pods;
  }
  EXPECT_THAT(First(JobSet({.chips = "8"}, 1, 2)), ::testing::StartsWith(keep));
  EXPECT_THAT(First(RayCluster({}, "replicas: 1, numOfHosts: 3")), ::testing::StartsWith(keep));
  EXPECT_EQ(First(Group(5, {}, {})), keep + " (20 chips become 16) | size: 4");
  EXPECT_EQ(First(Group(3, {}, {})), keep + " (12 chips become 16) | size: 4");
}

// The workload is what its author wants, warnings and all, but for one label.
TEST(Repair, OfASlipInALabelChangesNothingElse) {
  const std::string bounds = With(JobSet({.accelerator = "tpu-v6e"}, 1, 1), "image: i,",
                                  "image: i, env: [{name: TPU_PROCESS_BOUNDS, value: '1,1,1'}],");
  EXPECT_EQ(First(bounds), "all else as it is | accelerator: tpu-v6e-slice");
  EXPECT_EQ(First(Job({.accelerator = "tpu-v6e"}, 8)),
            "keep 4x4, 2 slices of 16 chips | accelerator: tpu-v6e-slice");
}

TEST(Repair, OfWhatMayRunOnAPartIsNone) {
  EXPECT_THAT(RepairsOf(With(Job({}, 2), "image: i,",
                             "image: i, env: [{name: TPU_PROCESS_BOUNDS, value: '1,1,1'}],")),
              ::testing::IsEmpty());
}

TEST(Repair, OfOnePodIsNoneOfManyWorkers) {
  const auto alone = [](const std::string& chips) {
    return "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: " + PodSpec({.chips = chips}) +
           "}";
  };
  EXPECT_THAT(First(alone("16")), ::testing::StartsWith("one host, 8 chips in all"));
  EXPECT_THAT(First(alone("1")), ::testing::StartsWith("keep 4x4"));
}

TEST(Repair, OfAnInitContainerLeavesTheOthers) {
  const std::string more =
      "initContainers: [{name: i, image: i, resources: {limits: {google.com/tpu: 8}}}], ";
  EXPECT_EQ(First(Job({.more = more}, 4)),
            "keep 4x4, 16 chips on 4 hosts | initContainers[0] google.com/tpu: 4");
}

TEST(Repair, NamesAContainerThatIsInNoList) {
  const std::string workflow =
      "{apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: {name: w}, spec: {templates: "
      "[{name: m, nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, "
      "cloud.google.com/gke-tpu-topology: 2x2}, container: {image: i, resources: {limits: "
      "{google.com/tpu: 8}}}}]}}";
  EXPECT_EQ(First(workflow), "keep 2x2, 4 chips on 1 host | container google.com/tpu: 4");
}

// Where nobody may choose between bounds, nobody may after the repair.
TEST(Repair, OfAFixedNumberOfReplicasKeepsItFixed) {
  EXPECT_EQ(First(RayCluster({}, "replicas: 4, minReplicas: 4, maxReplicas: 4")),
            "keep 4x4, 16 chips on 4 hosts | numOfHosts: 4, replicas: 1, minReplicas: 1, "
            "maxReplicas: 1");
}

// As many replicas of one pod as a slice has pods: it is one slice that was meant, and no repair
// takes four times the chips.
TEST(Repair, OfReplicasThatAreTheHostsIsOneSlice) {
  const std::string one = "keep 4x4, 16 chips on 4 hosts | ";
  EXPECT_EQ(First(RayCluster({}, "replicas: 4, numOfHosts: 1")),
            one + "numOfHosts: 4, replicas: 1");
  EXPECT_EQ(First(With(Group(1, {}, {}), "replicas: 1", "replicas: 4")),
            one + "size: 4, replicas: 1");
}

// LeaderWorkerSet counts a leader with chips as one of the workers: it must be one, or have none.
TEST(Repair, OfALeaderOfAnotherSliceIsAPersons) {
  EXPECT_EQ(First(Group(4, {.topology = "2x2"}, {})), "");
}

// Kueue finds the node pool: the part stays, and no topology is selected.
TEST(Repair, OfAPartOfAnySliceChangesOnlyTheCounts) {
  const std::string job = With(JobSet({}, 1, 1), "cloud.google.com/gke-tpu-topology: 4x4", "x: y");
  EXPECT_EQ(First(With(With(job, "metadata: {name: s}",
                            "metadata: {name: s, labels: {kueue.x-k8s.io/queue-name: q}}"),
                       "template: {spec: {nodeSelector",
                       "template: {metadata: {annotations: {cloud.google.com/"
                       "gke-tpu-slice-topology: 2x4, kueue.x-k8s.io/podset-required-topology: "
                       "cloud.google.com/gke-tpu-slice-2x4-id}}, spec: {nodeSelector")),
            "keep 2x4, 8 chips on 2 hosts (4 chips become 8) | parallelism: 2, completions: 2");
}

// Both were written down: what keeps the one comes before what keeps neither.
TEST(Repair, KeepsTheTopologyOrElseTheChips) {
  const std::string pod =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: "
      "{template: {spec: " +
      PodSpec({.topology = "2x2", .chips = "8"}) + "}}}";
  EXPECT_THAT(RepairsOf(pod), ::testing::ElementsAre(
                                  "keep 2x2, 4 chips on 1 host | containers[0] google.com/tpu: 4",
                                  "one host, 8 chips in all (4 chips become 8) | topology: 2x4",
                                  ::testing::StartsWith("one host, 1 chip in all")));
}

TEST(Repair, OfAJobOnSeveralHostsIsIndexed) {
  EXPECT_THAT(
      RepairsOf(With(Job({.topology = "2x4"}, 1), "Indexed", "NonIndexed")),
      ::testing::Contains(
          "keep 2x4, 8 chips on 2 hosts (4 chips become 8) | parallelism: 2, completions: 2, "
          "completionMode: Indexed"));
}

TEST(Repair, OfManyFaultySetsIsWhatTheFindingsSay) {
  std::string cluster = RayCluster({}, "numOfHosts: 3");
  const std::string group = cluster.substr(cluster.find("{groupName"));
  const std::string one = group.substr(0, group.rfind("]}}")) + ", ";
  for (int i = 0; i < 7; ++i) cluster.insert(cluster.find("{groupName"), one);
  EXPECT_EQ(First(cluster), "as the findings say (96 chips become 128) | numOfHosts: 4");
}

// The templates of a workflow run one after the other.
TEST(Repair, CountsNoChipsOfOtherTemplates) {
  const auto step = [](const std::string& name, const std::string& topology) {
    return "{name: " + name + ", nodeSelector: {cloud.google.com/gke-tpu-accelerator: " +
           "tpu-v6e-slice, cloud.google.com/gke-tpu-topology: " + topology +
           "}, container: {image: i, resources: {limits: {google.com/tpu: 4}}}}";
  };
  EXPECT_EQ(
      RepairsOf("{apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: {name: w}, spec: "
                "{templates: [" +
                step("right", "2x2") + ", " + step("wrong", "1x1") + "]}}")
          .at(1),
      "wrong: one host, 4 chips in all (1 chip becomes 4) | topology: 2x2");
}

// It holds no pods of which a shape could be looked for.
TEST(Repair, OfThePartsOfAPathwaysJobIsWhatTheFindingsSay) {
  EXPECT_EQ(First("{apiVersion: pathways-job.pathways.domain/v1, kind: PathwaysJob, metadata: "
                  "{name: p}, spec: {workers: [{type: ct6e-standard-1t, topology: 4x4, numSlices: "
                  "2}], controller: {deploymentMode: default}}}"),
            "as the findings say | type: ct6e-standard-4t");
}

// Kueue cuts several slices for one Job.
TEST(Repair, OfASliceSizeChangesNoPods) {
  const std::string_view pods = "template: {spec: {nodeSelector";
  EXPECT_EQ(First(With(
                JobSet({.topology = "16x16"}, 1, 8), std::string(pods),
                "template: {metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology: 4x4, "
                "kueue.x-k8s.io/podset-slice-required-topology: "
                "cloud.google.com/gke-tpu-slice-4x4-id, kueue.x-k8s.io/podset-slice-size: '2'}}, "
                "spec: {nodeSelector")),
            "keep 4x4, 2 slices of 16 chips | kueue.x-k8s.io/podset-slice-size: \"4\"");
}

TEST(Repair, EndsNoPause) {
  for (const std::string& repair : RepairsOf(JobSet({.topology = "4X4"}, 0, 4))) {
    EXPECT_THAT(repair, ::testing::Not(::testing::HasSubstr("replicas"))) << repair;
  }
  const std::string group =
      RayCluster({.topology = "4X4"}, "replicas: 0, minReplicas: 0, maxReplicas: 4, numOfHosts: 4");
  EXPECT_EQ(First(group), "4x4, 16 chips on 4 hosts | topology: 4x4");
}

TEST(Repair, OfASliceThatIsNotOfferedHasTheLargestThatAre) {
  EXPECT_EQ(First(JobSet({.topology = "16x32"}, 1, 128)).substr(0, 6), "16x16,");
}

TEST(Repair, LeavesADaemonSetNoNodeOnWhichItsPodsFindNoRoom) {
  const std::string set = DaemonSet(
      "nodeSelector: {cloud.google.com/gke-tpu-accelerator: v6e, "
      "cloud.google.com/gke-tpu-topology: 2x4}",
      "8");
  EXPECT_THAT(First(set), ::testing::HasSubstr("gke-accelerator-count: \"8\""));
}

// Only the chips are denied, but without the labels in nodeSelector GKE refuses each pod (TPU116),
// also where the rule could not say which they are before the accelerator was right.
TEST(Repair, TakesAwayWhatGkeRefusesToo) {
  const auto set = [](const std::string& accelerator, const std::string& chips) {
    return DaemonSet(
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchExpressions: ["
        "{key: cloud.google.com/gke-tpu-accelerator, operator: In, values: [" +
            accelerator +
            "]}, "
            "{key: cloud.google.com/gke-tpu-topology, operator: In, values: [2x2]}]}]}}}",
        chips);
  };
  EXPECT_EQ(First(set("tpu-v6e-slice", "8")),
            "keep 2x2, 4 chips on 1 host | containers[0] google.com/tpu: 4, nodeSelector "
            "accelerator: tpu-v6e-slice, topology: 2x2");
  EXPECT_EQ(First(set("tpu-v6e-slices", "4")),
            "keep 2x2, 4 chips on 1 host | affinity accelerator: tpu-v6e-slice, nodeSelector "
            "accelerator: tpu-v6e-slice, topology: 2x2");
}

// Only the chips are denied, but no node has the misspelt label.
TEST(Repair, TakesAwayWhatKeepsPodsFromAllNodes) {
  const std::string job = Job({.chips = "8"}, 2);
  EXPECT_EQ(First(With(job, "cloud.google.com/gke-tpu-topology",
                       "cloud.google.com/gke-tpu-topologi: 4x4, "
                       "cloud.google.com/gke-tpu-topology")),
            First(job) + ", cloud.google.com/gke-tpu-topologi: (removed)");
}

TEST(Repair, DoesNotKeepATopologyThatWasNotWritten) {
  EXPECT_EQ(First(Job({.topology = "4X4"}, 4)).substr(0, 4), "4x4,");
}

// What bounds a count follows it where it is the same number.
TEST(Repair, LetsTheBoundsOfAGangFollowItsPods) {
  const auto volcano = [](const std::string& counts, const std::string& of_task) {
    return "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: v}, spec: {" +
           counts + "tasks: [{name: w, " + of_task + ", template: {spec: " + PodSpec({}) + "}}]}}";
  };
  const std::string kept = "keep 4x4, 16 chips on 4 hosts (24 chips become 16) | ";
  EXPECT_EQ(First(volcano("minAvailable: 6, ", "replicas: 6, minAvailable: 6")),
            kept + "tasks[0] replicas: 4, tasks[0] minAvailable: 4, minAvailable: 4");
  EXPECT_EQ(First(volcano("minAvailable: 3, ", "replicas: 6")), kept + "tasks[0] replicas: 4");
  // A number that no sum holds says nothing.
  EXPECT_EQ(First(With(volcano("minAvailable: 6, ", "replicas: 6"), "tasks: [",
                       "tasks: [{replicas: 9000000000000000000}, {replicas: "
                       "9000000000000000000}, ")),
            kept + "tasks[2] replicas: 4");
  const std::string torch = PyTorchJob(5, {}, {});
  EXPECT_EQ(First(With(torch, "spec: {",
                       "spec: {runPolicy: {schedulingPolicy: {minAvailable: 6}}, elasticPolicy: "
                       "{minReplicas: 1, maxReplicas: 5}, ")),
            kept + "Worker replicas: 3, minAvailable: 4, maxReplicas: 3");
}

// The API server refuses a Job whose other fields speak of pods that it has not any more, and the
// webhooks of JobSet and Kueue do the same.
TEST(Repair, TakesNoPodsThatOtherFieldsNeed) {
  const std::string job = Job({}, 5);
  const std::string fewer = "keep 4x4, 16 chips on 4 hosts (20 chips become 16) | parallelism: 4";
  const std::string more = "4x8, 32 chips on 8 hosts (20 chips become 32) | topology: 4x8";
  EXPECT_THAT(First(job), ::testing::StartsWith(fewer));
  for (const char* const needs :
       {"maxFailedIndexes: 5, ", "successPolicy: {rules: [{succeededIndexes: \"0,2-4\"}]}, ",
        "successPolicy: {rules: [{succeededCount: 5}]}, "}) {
    EXPECT_THAT(First(With(job, "parallelism", std::string(needs) + "parallelism")),
                ::testing::StartsWith(more))
        << needs;
  }
  const auto least = [&](const char* pods) {
    return First(With(job, "name: train",
                      std::string("name: train, annotations: {"
                                  "kueue.x-k8s.io/job-min-parallelism: \"") +
                          pods + "\"}"));
  };
  EXPECT_THAT(least("4"), ::testing::StartsWith(more));
  EXPECT_THAT(least("3"), ::testing::StartsWith(fewer));
  const std::string set = JobSet({}, 4, 2);
  EXPECT_THAT(First(set), ::testing::HasSubstr("replicas: 2"));
  EXPECT_THAT(First(With(set, "spec: {", "spec: {coordinator: {replicatedJob: w, jobIndex: 3}, ")),
              ::testing::Not(::testing::HasSubstr("replicas: ")));
}

// The other pods of a group are objects of their own.
TEST(Repair, LeavesAPodInItsGroup) {
  const auto pod = [](const std::string& count) {
    return "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {kueue.x-k8s.io/queue-name: q, "
           "kueue.x-k8s.io/pod-group-name: g}, annotations: {"
           "kueue.x-k8s.io/pod-group-total-count: \"" +
           count + "\"}}, spec: " + PodSpec({.chips = "8"}) + "}";
  };
  EXPECT_THAT(
      RepairsOf(pod("4")),
      ::testing::ElementsAre("keep 4x4, 16 chips on 4 hosts | containers[0] google.com/tpu: 4"));
  EXPECT_THAT(RepairsOf(pod("3")), ::testing::IsEmpty());
  EXPECT_THAT(First(pod("1")), ::testing::StartsWith("one host, 8 chips in all"));
}

// Pods on single hosts are each a slice, as many as their author wants: a fault that says nothing
// of the shape changes none of it, and one of the chips only these.
TEST(Repair, OfPodsOnSingleHostsChangesNoCount) {
  const auto of_cpu = [](const std::string& yaml) {
    return First(With(yaml, "cpu: 1", "cpu: 200"));
  };
  const std::string cpu = "containers[0] request of cpu: 170";
  const Pods alone = {.topology = "2x2"};
  EXPECT_EQ(of_cpu(Job(alone, 10)), "keep 2x2, 10 slices of 4 chips | " + cpu);
  EXPECT_EQ(of_cpu(JobSet(alone, 2, 4)), "keep 2x2, 8 slices of 4 chips | " + cpu);
  EXPECT_EQ(of_cpu(Group(4, alone, alone)), "keep 2x2, 4 slices of 4 chips | " + cpu);
  EXPECT_EQ(of_cpu(PyTorchJob(3, alone, alone)), "keep 2x2, 4 slices of 4 chips | " + cpu);
  // Or a part of one.
  EXPECT_EQ(First(With(Job({.accelerator = "tpu7x", .topology = "2x2x1", .chips = "1"}, 6),
                       "cpu: 1", "cpu: 300")),
            "keep 2x2x1, 6 pods of 1 chip | containers[0] request of cpu: 53");
  const Pods wrong = {.topology = "2x2", .chips = "8"};
  const std::string chips = "containers[0] google.com/tpu: 4";
  EXPECT_THAT(RepairsOf(Job(wrong, 4)),
              ::testing::ElementsAre("keep 2x2, 4 slices of 4 chips | " + chips,
                                     "2x4, 4 slices of 8 chips (16 chips become 32) | "
                                     "topology: 2x4",
                                     ::testing::_));
  EXPECT_EQ(First(StatefulSet(wrong, 3)), "keep 2x2, 3 slices of 4 chips | " + chips);
  // Pods and chips that are those of a larger slice mean that.
  EXPECT_EQ(First(JobSet({.topology = "1x1"}, 1, 8)), "4x8, 32 chips on 8 hosts | topology: 4x8");
  EXPECT_EQ(First(Job({.topology = "1x1"}, 8)), "4x8, 32 chips on 8 hosts | topology: 4x8");
  // As many chips as one host has were meant to share it.
  EXPECT_EQ(First(Job({.topology = "2x2", .chips = "1"}, 4)),
            "keep 2x2, 4 chips on 1 host | " + chips + ", parallelism: 1, completions: 1");
}

// A leader and its workers, each counted for itself, are one slice.
TEST(Repair, OfReplicatedJobsThatFillASliceTogetherChangesNoCount) {
  const auto together = [](const Pods& leader, const Pods& workers, const std::string& cpu) {
    std::string both = JobSet(workers, 1, 3);
    const std::string lead = JobSet(leader, 1, 1);
    const std::size_t begin = lead.find("{name: w");
    const std::string job = lead.substr(begin, lead.rfind("]}}") - begin);
    return both.insert(begin, With(With(job, "name: w", "name: v"), "cpu: 1", cpu) + ", ");
  };
  EXPECT_THAT(
      RepairsOf(together({}, {}, "cpu: 200")),
      ::testing::ElementsAre("v: keep 4x4, 1 pod of 4 chips | containers[0] request of cpu: "
                             "170"));
  const std::string chips = "containers[0] google.com/tpu: 4";
  EXPECT_EQ(First(together({.chips = "8"}, {}, "cpu: 1")), "all else as it is | v: " + chips);
  EXPECT_EQ(First(together({.chips = "8"}, {.chips = "8"}, "cpu: 1")),
            "as the findings say | " + chips);
}

// Of several node pools' slices one is made; it is the one that the pods fill.
TEST(Repair, KeepsASliceThatIsMadeOfSeveral) {
  const auto super_slice = [](const std::string& chips) {
    return With(JobSet({.accelerator = "tpu7x", .topology = "4x4x4", .chips = chips}, 1, 32),
                "template: {spec: {nodeS",
                "template: {metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology: "
                "4x4x8}}, spec: {nodeS");
  };
  const std::string kept = "keep 4x4x8, 128 chips on 32 hosts | ";
  EXPECT_EQ(First(With(super_slice("4"), "cpu: 1", "cpu: 300")),
            kept + "containers[0] request of cpu: 212");
  EXPECT_EQ(First(super_slice("8")), kept + "containers[0] google.com/tpu: 4");
}

// The pods of a StatefulSet that fill its slices do so with the chips of their hosts.
TEST(Repair, OfAStatefulSetWithWrongChipsMakesNoMorePods) {
  const std::string chips = "containers[0] google.com/tpu: 4";
  EXPECT_EQ(First(StatefulSet({.chips = "8"}, 4)), "keep 4x4, 16 chips on 4 hosts | " + chips);
  EXPECT_EQ(First(StatefulSet({.chips = "8"}, 8)), "keep 4x4, 2 slices of 16 chips | " + chips);
  EXPECT_EQ(First(StatefulSet({.chips = "2"}, 8)),
            "keep 4x4, 16 chips on 4 hosts | " + chips + ", replicas: 4");
  EXPECT_EQ(First(StatefulSet({.topology = "4X4"}, 8)),
            "4x4, 2 slices of 16 chips | topology: 4x4");
}

// Parallelism and topology say the same: completions are the slip.
TEST(Repair, OfTooFewCompletionsKeepsTopologyAndPods) {
  EXPECT_EQ(First(With(Job({}, 4), "completions: 4", "completions: 1")),
            "keep 4x4, 16 chips on 4 hosts | completions: 4");
}

// What a malformed topology means is what somebody wrote, and of many pods one slice.
TEST(Repair, OfAMalformedTopologyKeepsWhatItMeans) {
  EXPECT_EQ(First(With(JobSet({.topology = "4X8"}, 1, 8), "cpu: 1", "cpu: 200")),
            "4x8, 32 chips on 8 hosts | topology: 4x8, containers[0] request of cpu: 170");
  EXPECT_EQ(First(Group(3, {.topology = "4X4"}, {.topology = "4X4"})),
            "4x4, 16 chips on 4 hosts (12 chips become 16) | topology: 4x4, size: 4");
  EXPECT_EQ(First(JobSet({.topology = "4x4x1", .chips = "16"}, 1, 1)),
            "4x4, 16 chips on 4 hosts | topology: 4x4, containers[0] google.com/tpu: 4, "
            "parallelism: 4, completions: 4");
  EXPECT_EQ(First(JobSet({.accelerator = "tpu-v5p-slice", .topology = "4x4", .chips = "8"}, 1, 2)),
            "2x2x4, 16 chips on 4 hosts | topology: 2x2x4, containers[0] google.com/tpu: 4, "
            "parallelism: 4, completions: 4");
}

// Of the topology and the chips that were written what the arguments say too comes first; of the
// other the warning is told with its words, for it stands nowhere else.
TEST(Repair, ThatRunsComesBeforeOneThatBringsAWarning) {
  const std::string server =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: s}, spec: {replicas: 1, selector: "
      "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: " +
      With(PodSpec({.topology = "2x2", .chips = "8"}), "image: i",
           "image: vllm/vllm-tpu, args: [--tensor-parallel-size=8]") +
      "}}}";
  const std::vector<Repair> repairs = support::RepairsOfYaml(server);
  ASSERT_GE(repairs.size(), 2U);
  EXPECT_EQ(repairs[0].changes, "topology: 2x4");
  EXPECT_EQ(repairs[0].beside, std::vector<repair::Beside>());
  EXPECT_THAT(admission::WhatWouldRun(repairs),
              ::testing::HasSubstr("  b) only with what TPU310 (vllm-devices) says: "
                                   "--tensor-parallel-size is 8, and there are 4 devices\n"));
}

// That one Job has several slices only warns, and only a person divides it.
TEST(Repair, LeavesSeveralSlicesInAJob) {
  EXPECT_EQ(First(With(Job({}, 8), "cpu: 1", "cpu: 200")),
            "keep 4x4, 2 slices of 16 chips | containers[0] request of cpu: 170");
  EXPECT_EQ(First(Job({.topology = "4X4"}, 8)), "4x4, 2 slices of 16 chips | topology: 4x4");
  EXPECT_EQ(First(Job({.topology = "4x5"}, 8)), "4x8, 32 chips on 8 hosts | topology: 4x8")
      << "but makes none";
}

// Neither the topology nor the chips can be; nobody means the thousand chips of the one.
TEST(Repair, OfChipsAndTopologyThatCannotBeIsTheSmaller) {
  const Pods neither = {.accelerator = "tpu-v5p-slice", .topology = "32x32", .chips = "8"};
  EXPECT_EQ(First(With(Group(8, neither, neither), "replicas: 1", "replicas: 2")),
            "4x4x4, 2 slices of 64 chips | topology: 4x4x4, containers[0] google.com/tpu: 4, "
            "size: 16");
}

// The half of what a warning says, the pods without the slices, would make an eighth of the chips.
TEST(Repair, OfAWarningIsTheWholeOfWhatItSays) {
  const std::string job =
      With(JobSet({.accelerator = "tpu7x", .topology = "4x4x4"}, 1, 32), "template: {spec: {nodeS",
           "template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: "
           "cloud.google.com/gke-tpu-partition-4x4x4-id, cloud.google.com/gke-tpu-slice-topology: "
           "2x2x4}}, spec: {nodeS");
  EXPECT_THAT(RepairsOf(With(job, "name: s}", "name: s, labels: {kueue.x-k8s.io/queue-name: q}}")),
              ::testing::ElementsAre("keep 2x2x4, 8 slices of 16 chips | parallelism: 4, "
                                     "completions: 4, replicas: 8 | TPU206"));
}

// Of pods that fill a slice with those of others, "4x4x1" beside "4x4" is one slip.
std::string TwoJobs(const Pods& m, int pods_of_m, const Pods& w, int pods_of_w) {
  const std::string second = JobSet(w, 1, pods_of_w);
  const std::size_t begin = second.find("{name: w");
  const std::string job = second.substr(begin, second.rfind("]}}") - begin) + ", ";
  std::string all = With(JobSet(m, 1, pods_of_m), "name: w", "name: m");
  return all.insert(all.rfind("]}}"), ", " + job.substr(0, job.size() - 2));
}

std::string InOwnPools(const std::string& jobset) {
  return With(jobset, "name: s}",
              "name: s, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: "
              "cloud.google.com/gke-nodepool}}");
}

TEST(Repair, OfATopologyThatIsNotThatOfTheOthersIsOneEdit) {
  const Pods slip = {.topology = "4x4x1"};
  EXPECT_EQ(First(TwoJobs({}, 1, slip, 3)), "all else as it is | w: topology: 4x4");
  EXPECT_EQ(First(TwoJobs(slip, 1, {}, 3)), "all else as it is | m: topology: 4x4");
  EXPECT_EQ(First(PyTorchJob(3, {}, slip)), "all else as it is | Worker: topology: 4x4");
  EXPECT_EQ(First(TwoJobs({}, 4, slip, 4)), "w: 4x4, 16 chips on 4 hosts | topology: 4x4")
      << "each fills its own";
}

TEST(Repair, SaysWhoseEachEditIs) {
  EXPECT_EQ(First(PyTorchJob(3, {.accelerator = "v6e", .chips = "8"}, {.chips = "8"})),
            "Master: one host, 8 chips in all; Worker: keep 4x4, 16 chips on 4 hosts (32 chips "
            "become 24) | Master: accelerator: tpu-v6e-slice, topology: 2x4; Worker: "
            "containers[0] google.com/tpu: 4, replicas: 4");
}

// Each Job has a node pool to itself, so the pods of others do not fill its slice.
TEST(Repair, OfJobsInNodePoolsOfTheirOwnCountsNoOthers) {
  const std::string half = "2x4, 8 chips on 2 hosts";
  EXPECT_EQ(First(InOwnPools(TwoJobs({}, 2, {}, 2))),
            "m: " + half + "; w: " + half + " | topology: 2x4, gke-accelerator-count: \"4\"");
}

// Nobody knows whether pods fill a topology together that there is not.
TEST(Repair, FollowsTheFindingsWhereNobodyOffersTheTopology) {
  const Pods cube = {.accelerator = "tpu-v5-lite-podslice", .topology = "2x2x2"};
  EXPECT_EQ(First(TwoJobs(cube, 1, cube, 1)),
            "m: one host, 4 chips in all; w: one host, 4 chips in all | topology: 2x2");
}

// A Job of fewer pods in a node pool of its own: it keeps its pods, and there are as many slices.
TEST(Repair, OfASpreadSliceKeepsTheJobsThatHavePoolsOfTheirOwn) {
  EXPECT_THAT(RepairsOf(InOwnPools(JobSet({}, 2, 2))),
              ::testing::ElementsAre(
                  "2x4, 2 slices of 8 chips | topology: 2x4, gke-accelerator-count: \"4\"",
                  "keep 4x4, 16 chips on 4 hosts | parallelism: 4, completions: 4, replicas: 1"));
  EXPECT_EQ(First(InOwnPools(JobSet({.topology = "8x8"}, 2, 8))),
            "4x8, 2 slices of 32 chips | topology: 4x8");
}

// What the resource manager of Pathways is told follows the workers.
TEST(Repair, TellsPathwaysOfTheSlices) {
  const auto told = [](const std::string& count, const std::string& type) {
    return With(JobSet({}, 2, 2), "{name: w",
                "{name: head, template: {spec: {template: {spec: {containers: [{name: m, image: "
                "i, args: [--node_type=resource_manager, --instance_count=" +
                    count + ", \"--instance_type=tpuv6e:" + type + "\"]}]}}}}}, {name: w");
  };
  EXPECT_EQ(First(told("2", "4x4")),
            "keep 4x4, 16 chips on 4 hosts | parallelism: 4, completions: 4, replicas: 1, args[1]: "
            "--instance_count=1");
  EXPECT_EQ(First(told("1", "4x4")),
            "keep 4x4, 16 chips on 4 hosts | parallelism: 4, completions: 4, replicas: 1");
  EXPECT_EQ(First(InOwnPools(told("2", "4x4"))),
            "2x4, 2 slices of 8 chips | topology: 2x4, gke-accelerator-count: \"4\", args[2]: "
            "--instance_type=tpuv6e:2x4");
}

// Who follows it twice changes no more than who follows it once.
TEST(Repair, MendsWhatWarnsToo) {
  EXPECT_EQ(First(StatefulSet({.accelerator = "v5p", .topology = "2x2x4"}, 3)),
            "keep 2x2x4, 16 chips on 4 hosts (12 chips become 16) | accelerator: tpu-v5p-slice, "
            "replicas: 4");
  EXPECT_EQ(First(JobSet({.accelerator = "v6e"}, 2, 2)),
            "keep 4x4, 16 chips on 4 hosts | accelerator: tpu-v6e-slice, parallelism: 4, "
            "completions: 4, replicas: 1");
  const std::string eight = Job({.topology = "2x4", .chips = "8"}, 1);
  EXPECT_EQ(First(With(eight, "cpu: 1, memory: 1Gi", "cpu: 180, memory: 1400Gi")),
            "keep 2x4, 8 chips on 1 host | containers[0] request of cpu: 170, containers[0] "
            "request of memory: 1312Gi");
}

// "Kueue never admits them" says what no edit gives.
TEST(Repair, NamesWhatKeepsKueueFromIt) {
  const std::string cut = With(CutTo2x4(JobSet({}, 1, 4)), "name: s}",
                               "name: s, labels: {kueue.x-k8s.io/queue-name: q}}");
  EXPECT_THAT(RepairsOf(cut), ::testing::ElementsAre("keep 2x4, 2 slices of 8 chips | parallelism: "
                                                     "2, completions: 2, replicas: 2 | TPU206"));
}

// As many chips as the bounds were for.
TEST(Repair, KeepsTheChipsOfTheBoundsOfARayGroup) {
  EXPECT_EQ(First(RayCluster({}, "replicas: 4, minReplicas: 0, maxReplicas: 8, numOfHosts: 1")),
            "keep 4x4, 16 chips on 4 hosts | numOfHosts: 4, replicas: 1, maxReplicas: 2");
}

Settings Autopilot() {
  rules::Cluster cluster;
  cluster.platform = rules::Platform::kAutopilot;
  return {rules::Engine(tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value(), cluster),
          Policy::Load("", "policy").value(), ""};
}

std::string Vllm(const Pods& pods) {
  return With(
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 1, selector: "
      "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: " +
          PodSpec(pods) + "}}}",
      "image: i", "image: vllm/vllm-tpu, args: [--tensor-parallel-size=8]");
}

TEST(Repair, LeavesVllmTheDevicesThatItAsksFor) {
  EXPECT_THAT(RepairsOf(Vllm({.topology = "2x4"}), Autopilot()),
              ::testing::ElementsAre(
                  "keep 2x4, 8 chips on 1 host | containers[0] google.com/tpu: 8",
                  "one host, 4 chips in all (8 chips become 4) | topology: 2x2 | TPU310"));
  EXPECT_THAT(RepairsOf(Vllm({.topology = "2x2", .chips = "1"})),
              ::testing::IsSupersetOf(
                  {"keep 2x2, 4 chips on 1 host | containers[0] google.com/tpu: 4 | TPU310",
                   "one host, 8 chips in all (4 chips become 8) | topology: 2x4, containers[0] "
                   "google.com/tpu: 8"}));
}

// On the larger hosts the pods are fewer.
TEST(Repair, OfAStatefulSetOnAutopilotDoublesNoChips) {
  EXPECT_THAT(RepairsOf(StatefulSet({.topology = "2x4"}, 2), Autopilot()),
              ::testing::ElementsAre(
                  "keep 2x4, 8 chips on 1 host | containers[0] google.com/tpu: 8, replicas: 1"));
}

// Each on a host of its own: their number is none of a slice.
TEST(Repair, LeavesPodsOnSingleHostsAsManyAsTheyAre) {
  const std::string pods = "8 slices of 4 chips | topology: ";
  EXPECT_EQ(First(Job({.topology = "2x2x1"}, 8)), "2x2, " + pods + "2x2");
  EXPECT_EQ(First(Job({.topology = "2X2"}, 8)), "2x2, " + pods + "2x2");
  EXPECT_EQ(First(Job({.accelerator = "tpu7x", .topology = "2x2"}, 8)), "2x2x1, " + pods + "2x2x1");
  EXPECT_EQ(First(Job({.topology = "4x4x1"}, 4)), "4x4, 16 chips on 4 hosts | topology: 4x4");
}

// What stands under the misspelt key is what was meant, with whatever else is wrong.
TEST(Repair, TakesTheValueOfAMisspeltKey) {
  const auto misspelt = [](const Pods& pods, int count) {
    return With(Job(pods, count), "gke-tpu-topology", "gke-tpu-toplogy");
  };
  const std::string key = ", cloud.google.com/gke-tpu-toplogy: (removed)";
  EXPECT_THAT(RepairsOf(misspelt({.topology = "2x2"}, 8)),
              ::testing::ElementsAre("2x2, 8 slices of 4 chips | topology: 2x2" + key));
  EXPECT_EQ(First(misspelt({.chips = "16"}, 4)),
            "4x4, 16 chips on 4 hosts | topology: 4x4" + key + ", containers[0] google.com/tpu: 4");
  EXPECT_EQ(First(misspelt({.topology = "4x5"}, 4)),
            "4x4, 16 chips on 4 hosts | topology: 4x4" + key)
      << "which nobody offers";
}

TEST(Repair, ChangesNoCountForAMissingTopology) {
  const std::string topology = ", cloud.google.com/gke-tpu-topology: 4x4";
  EXPECT_THAT(RepairsOf(With(Job({}, 11), topology, "")), ::testing::IsEmpty());
  EXPECT_EQ(First(With(Job({}, 8), topology, "")), "4x8, 32 chips on 8 hosts | topology: 4x8");
}

// As many pods as hosts say twice what the chips of each say once.
TEST(Repair, FillsTheHostsOfNodesThatCanBeSplit) {
  const auto of = [](const std::string& chips, int pods) {
    return First(JobSet({.accelerator = "tpu7x", .topology = "4x4x8", .chips = chips}, 2, pods));
  };
  const std::string full = "keep 4x4x8, 2 slices of 128 chips | ";
  EXPECT_EQ(of("3", 32), full + "containers[0] google.com/tpu: 4");
  EXPECT_EQ(of("1", 32), full + "containers[0] google.com/tpu: 4");
  EXPECT_EQ(of("8", 32), full + "containers[0] google.com/tpu: 4");
}

// The chips that are kept are those of the request. (Several slices of one Job are warned of.)
TEST(Repair, OfALimitThatIsMissingIsTheRequest) {
  const std::string parts =
      With(With(JobSet({.accelerator = "tpu7x", .topology = "8x8x8"}, 1, 64),
                ", cloud.google.com/gke-tpu-topology: 8x8x8", ""),
           "template: {spec: {nodeSelector",
           "template: {metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology: 4x4x8, "
           "kueue.x-k8s.io/podset-slice-required-topology: "
           "cloud.google.com/gke-tpu-partition-4x4x4-id, kueue.x-k8s.io/podset-slice-size: '16'}}, "
           "spec: {nodeSelector");
  const std::string in_queue = With(parts, "metadata: {name: s}",
                                    "metadata: {name: s, labels: {kueue.x-k8s.io/queue-name: q}}");
  const std::string keep = "keep 4x4x8, 2 slices of 128 chips | ";
  const std::string apart = "parallelism: 32, completions: 32, replicas: 2";
  EXPECT_EQ(First(in_queue), keep + apart);
  EXPECT_EQ(First(With(in_queue, "memory: 1Gi}, limits: {google.com/tpu: 4}",
                       "memory: 1Gi, google.com/tpu: 4}")),
            keep + "containers[0] google.com/tpu: 4, " + apart);
}

// The hosts that the other labels select have one number of chips.
TEST(Repair, OfTwoNumbersOfChipsTakesTheOneOfTheHosts) {
  const std::string set = With(
      With(StatefulSet({.accelerator = "tpu-v5-lite-podslice", .topology = "2x4", .chips = "8"}, 2),
           "gke-tpu-topology: 2x4",
           "gke-tpu-topology: 2x4, cloud.google.com/gke-accelerator-count: '4'"),
      "memory: 1Gi", "memory: 1Gi, google.com/tpu: 4");
  EXPECT_EQ(First(set), "keep 2x4, 8 chips on 2 hosts | containers[0] google.com/tpu: 4");
}

// No machine has what is requested: the limit says what was meant.
TEST(Repair, LowersARequestThatNoMachineHasToItsLimit) {
  const std::string job = With(Job({}, 4), "limits: {", "limits: {cpu: 100, ");
  EXPECT_THAT(
      RepairsOf(With(job, "cpu: 1,", "cpu: 300,")),
      ::testing::Contains("keep 4x4, 16 chips on 4 hosts | containers[0] request of cpu: 100"));
  EXPECT_EQ(First(With(job, "cpu: 1,", "cpu: 120,")),
            "keep 4x4, 16 chips on 4 hosts | containers[0] limit of cpu: 120");
}

// Machine and chips agree against the topology.
TEST(Repair, OfOnePodIsTheTopologyThatMachineAndChipsHave) {
  const std::string deployment =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: {matchLabels: "
      "{a: b}}, template: {metadata: {labels: {a: b}}, spec: " +
      With(PodSpec({.topology = "2x2", .chips = "8"}), "nodeSelector: {",
           "nodeSelector: {node.kubernetes.io/instance-type: ct6e-standard-8t, ") +
      "}}}";
  EXPECT_EQ(First(deployment), "one host, 8 chips in all | topology: 2x4");
  EXPECT_EQ(First(With(deployment, "node.kubernetes.io/instance-type: ct6e-standard-8t",
                       "cloud.google.com/gke-accelerator-count: '8'")),
            "one host, 8 chips in all | topology: 2x4");
}

// The completions and the topology say the same.
TEST(Repair, OfCompletionsThatFillTheSliceIsAsManyPods) {
  EXPECT_EQ(First(With(JobSet({}, 2, 4), "parallelism: 4", "parallelism: 1")),
            "keep 4x4, 2 slices of 16 chips | parallelism: 4");
  EXPECT_EQ(First(With(JobSet({}, 2, 4), "parallelism: 4", "parallelism: 3")),
            "keep 4x4, 2 slices of 16 chips | parallelism: 4");
}

TEST(Repair, HasATitleAndNamesForItsFields) {
  const std::string pathways = R"(
apiVersion: pathways-job.pathways.domain/v1
kind: PathwaysJob
metadata: {name: train}
spec:
  workers:
  - type: ct6e-standard-4t
    topology: 8x4
    numSlices: 2
    nodeSelector:
      cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
      cloud.google.com/gke-tpu-topology: 4x4
      cloud.google.com/gke-spot: "true"
  pathwaysDir: gs://example/pathways
  controller:
    deploymentMode: default
    elasticSlices: 2
)";
  EXPECT_EQ(First(pathways), "all else as it is | topology: 4x8, nodeSelector topology: (removed)");
  const std::string either = R"(
apiVersion: v1
kind: Pod
metadata:
  name: train
spec:
  nodeSelector:
    cloud.google.com/gke-topology: 2x2
  tolerations:
  - {key: google.com/tpu, operator: Exists}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: cloud.google.com/gke-tpu-accelerator, operator: In, values: [tpu-v6e-podslice, tpu-v6e-slice]}
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "40", memory: 100Gi}
      limits: {google.com/tpu: 4}
)";
  EXPECT_EQ(First(either),
            "as the findings say | nodeSelector topology: 2x2, cloud.google.com/gke-topology: "
            "(removed)");
}

// Of pods that have none each is to have them: beside chips of others it would be in doubt.
TEST(Repair, GivesChipsToAllThatMissThem) {
  const std::string ray = R"(
apiVersion: ray.io/v1
kind: RayJob
metadata:
  name: rj
spec:
  entrypoint: python t.py
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {}
      template:
        spec:
          containers:
          - {name: h, image: r, resources: {limits: {cpu: 2, memory: 8Gi}, requests: {cpu: 2, memory: 8Gi}}}
    workerGroupSpecs:
    - groupName: a
      replicas: 1
      minReplicas: 1
      maxReplicas: 1
      numOfHosts: 1
      rayStartParams: {}
      template:
        spec:
          nodeSelector:
            cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
            cloud.google.com/gke-tpu-topology: 2x2
          containers:
          - name: w
            image: r
            resources:
              requests: {cpu: 20, memory: 100Gi, google.com/tpu: 0}
              limits: {google.com/tpu: 0}
    - groupName: b
      replicas: 1
      minReplicas: 1
      maxReplicas: 4
      numOfHosts: 2
      rayStartParams: {}
      template:
        spec:
          nodeSelector:
            cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice
            cloud.google.com/gke-tpu-topology: 2x2x2
          containers:
          - name: w
            image: r
            resources:
              requests: {cpu: 20, memory: 100Gi, google.com/tpu: 0}
              limits: {google.com/tpu: 0}
)";
  EXPECT_EQ(First(ray),
            "a: keep 2x2, 4 chips on 1 host; b: keep 2x2x2, 8 chips on 2 hosts | containers[0] "
            "google.com/tpu: 4");
}

// Kubeflow takes one master and no other number.
TEST(Repair, OfAPyTorchJobLeavesOneMaster) {
  EXPECT_EQ(First(With(PyTorchJob(3, {}, {}), "Master: {replicas: 1", "Master: {replicas: 2")),
            "keep 4x4, 16 chips on 4 hosts (20 chips become 16) | Master replicas: 1");
  EXPECT_EQ(First(With(PyTorchJob(4, {}, {}), "Master: {replicas: 1", "Master: {replicas: 2")),
            "keep 4x4, 16 chips on 4 hosts (24 chips become 16) | Master: replicas: 1; Worker: "
            "replicas: 3");
  const std::string alone =
      "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: s}, spec: "
      "{pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: " +
      PodSpec({}) +
      "}}, Worker: {replicas: 3, template: {spec: {containers: [{name: c, image: i}]}}}}}}";
  EXPECT_THAT(RepairsOf(alone), ::testing::Not(::testing::IsEmpty()));
  EXPECT_THAT(RepairsOf(alone), ::testing::Each(::testing::Not(::testing::HasSubstr("replicas:"))));
}

// Its label is none, and with its chips the group is as large as the slice.
TEST(Repair, GivesALeaderThatFillsTheSliceTheLabelsOfItsWorkers) {
  EXPECT_EQ(First(Group(4, {.accelerator = "v5e"}, {})),
            "all else as it is | leader: accelerator: tpu-v6e-slice");
  EXPECT_EQ(First(With(Group(4, {.accelerator = "v5e"}, {}), "replicas: 1", "replicas: 2")),
            "all else as it is | leader: accelerator: tpu-v6e-slice");
}

TEST(Repair, IsTheSameEachTime) {
  const std::string yaml = Job({.chips = "8"}, 2);
  EXPECT_EQ(RepairsOf(yaml), RepairsOf(yaml));
}

}  // namespace
}  // namespace tpu_admission::admission::repair_test
