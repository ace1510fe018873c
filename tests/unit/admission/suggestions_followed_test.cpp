// Suggestions that once led to the next denial, or to other chips than were meant. Each: a
// manifest, what is no longer said of it, what is said instead, and the edits that do what is said,
// after which nothing is denied.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"
#include "support/yaml_json.h"

namespace tpu_admission::admission::suggestions_followed_test {
namespace {

using nlohmann::json;

constexpr const char* kNodes = "/nodeSelector/cloud.google.com~1gke-tpu-topology";
constexpr const char* kChips = "/containers/0/resources/limits/google.com~1tpu";

std::string PodSpec(const std::string& accelerator, const std::string& topology, int chips,
                    const std::string& more_labels = "") {
  return "{restartPolicy: Never, subdomain: train, nodeSelector: {" + more_labels +
         (accelerator.empty() ? ""
                              : "cloud.google.com/gke-tpu-accelerator: " + accelerator + ", ") +
         (topology.empty() ? "" : "cloud.google.com/gke-tpu-topology: " + topology) +
         "}, containers: [{name: jax, image: example.com/jax, resources: {requests: {cpu: 10, "
         "memory: 10Gi}, limits: {google.com/tpu: " +
         std::to_string(chips) + "}}}]}";
}

json Parsed(const std::string& yaml) { return json::parse(ParseYaml(yaml).value().front().json); }

json Job(int pods, const std::string& spec, const std::string& metadata = "") {
  const std::string number = std::to_string(pods);
  return Parsed("{apiVersion: batch/v1, kind: Job, metadata: {name: train" +
                std::string(metadata.empty() ? "" : ", labels: {kueue.x-k8s.io/queue-name: q}") +
                "}, spec: {parallelism: " + number + ", completions: " + number +
                ", completionMode: Indexed, template: {metadata: {" + metadata +
                "}, spec: " + spec + "}}}");
}

json JobSet(int pods, const std::string& spec) {
  const std::string number = std::to_string(pods);
  return Parsed(
      "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: train}, spec: "
      "{replicatedJobs: [{name: worker, replicas: 1, template: {spec: {parallelism: " +
      number + ", completions: " + number + ", template: {spec: " + spec + "}}}}]}}");
}

json Ray(const std::string& hosts, int replicas, const std::string& spec) {
  return Parsed(
      "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: ray}, spec: {headGroupSpec: "
      "{template: {spec: {containers: [{name: head, image: ray}]}}}, workerGroupSpecs: "
      "[{groupName: "
      "tpu, " +
      (hosts.empty() ? "" : "numOfHosts: " + hosts + ", ") +
      "replicas: " + std::to_string(replicas) + ", template: {spec: " + spec + "}}]}}");
}

json Lws(int size, int part, const std::string& spec) {
  return Parsed(
      "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: serve}, "
      "spec: {replicas: 1, leaderWorkerTemplate: {size: " +
      std::to_string(size) + ", subGroupPolicy: {subGroupSize: " + std::to_string(part) +
      "}, workerTemplate: {spec: " + spec + "}}}}");
}

struct Edit {
  std::string pointer;
  json value;
};

struct Row {
  std::string name;
  json object;
  std::vector<std::string> never;
  std::vector<std::string> says;
  std::vector<Edit> edits;
};

std::string Changes(const Answer& answer) {
  std::string text;
  for (const JudgedFinding& judged : answer.record.findings) {
    text += std::string(judged.finding.rule->id) + ": " + judged.finding.Change() + "\n";
  }
  return text;
}

class Suggestion : public testing::TestWithParam<Row> {};

TEST_P(Suggestion, CanBeFollowed) {
  Asker asker;
  const Answer answer = asker.Validate(Review(GetParam().object));
  const std::string changes = Changes(answer);
  for (const std::string& text : GetParam().never) {
    EXPECT_EQ(changes.find(text), changes.npos) << text << " is said in\n" << changes;
  }
  for (const std::string& text : GetParam().says) {
    EXPECT_NE(changes.find(text), changes.npos) << text << " is not said in\n" << changes;
  }
  json object = GetParam().object;
  for (const Edit& edit : GetParam().edits) object[json::json_pointer(edit.pointer)] = edit.value;
  const Answer followed = asker.Validate(Review(object));
  EXPECT_TRUE(followed.allowed()) << followed.message();
}

const std::string kJobPod = "/spec/template/spec";
const std::string kSetJob = "/spec/replicatedJobs/0/template/spec";
const std::string kRayGroup = "/spec/workerGroupSpecs/0";
const std::string kMachine8 = "node.kubernetes.io/instance-type: ct6e-standard-8t, ";

std::vector<Edit> Pods(int pods) {
  return {{"/spec/parallelism", pods}, {"/spec/completions", pods}};
}
std::vector<Edit> With(std::vector<Edit> edits, const Edit& edit) {
  edits.push_back(edit);
  return edits;
}

INSTANTIATE_TEST_SUITE_P(
    Truth, Suggestion,
    testing::Values(
        Row{"SixteenPodsOfOneChip",
            Job(16, PodSpec("tpu-v6e-slice", "4x4", 1)),
            {"a JobSet with 4 replicas", "topology 1x1"},
            {"set limits of google.com/tpu, parallelism and completions to 4"},
            With(Pods(4), {kJobPod + kChips, 4})},
        Row{"TwoPodsOfEightChips",
            Job(2, PodSpec("tpu-v6e-slice", "4x4", 8)),
            {"or select topology 2x4"},
            {"set limits of google.com/tpu, parallelism and completions to 4"},
            With(Pods(4), {kJobPod + kChips, 4})},
        Row{"RayReplicasThatAreHosts",
            Ray("", 4, PodSpec("tpu-v6e-slice", "4x4", 4)),
            {},
            {"set numOfHosts to 4, and replicas to 1, or select topology 2x2"},
            {{kRayGroup + "/numOfHosts", 4}, {kRayGroup + "/replicas", 1}}},
        Row{"CustomShape",
            Job(24, PodSpec("tpu-v4-podslice", "4x4x6", 4)),
            {"4x4x8\n", "4x4x4"},
            {"to 4x4x8, and parallelism and completions to 32"},
            With(Pods(32), {kJobPod + kNodes, "4x4x8"})},
        Row{"DimensionsOutOfOrder",
            Job(32, PodSpec("tpu-v5p-slice", "8x4x4", 4)),
            {"4x4x4", "4x8x8"},
            {"gke-tpu-topology to 4x4x8\n"},
            {{kJobPod + kNodes, "4x4x8"}}},
        Row{"ShapeThatIsNone",
            Job(4, PodSpec("tpu-v6e-slice", "2x8", 4)),
            {"2x4", "4x8"},
            {"gke-tpu-topology to 4x4\n"},
            {{kJobPod + kNodes, "4x4"}}},
        Row{"NoTopologyForSixPods",
            JobSet(6, PodSpec("tpu-v6e-slice", "", 4)),
            {"to 4x8 (tpu"},
            {"to 4x8, and parallelism and completions to 8"},
            {{kSetJob + "/template/spec" + kNodes, "4x8"},
             {kSetJob + "/parallelism", 8},
             {kSetJob + "/completions", 8}}},
        Row{"NoTopologyForThreeHosts",
            Ray("3", 1, PodSpec("tpu-v6e-slice", "", 4)),
            {"to 4x4 (tpu"},
            {"to 4x4, and numOfHosts to 4"},
            {{kRayGroup + "/template/spec" + kNodes, "4x4"}, {kRayGroup + "/numOfHosts", 4}}},
        Row{"NoTopologyForTwoChips",
            Job(1, PodSpec("tpu-v6e-slice", "", 2)),
            {"to 1x1 (tpu"},
            {"to 1x1, and limits of google.com/tpu to 1"},
            {{kJobPod + kNodes, "1x1"}, {kJobPod + kChips, 1}}},
        Row{"MachineOfAnotherTopology",
            Job(1, PodSpec("tpu-v6e-slice", "2x2", 4, kMachine8)),
            {"to 8", "count to 4"},
            {"set node.kubernetes.io/instance-type to ct6e-standard-4t"},
            {{kJobPod + "/nodeSelector/node.kubernetes.io~1instance-type", "ct6e-standard-4t"}}},
        Row{"TopologyAndChipsThatAreNone",
            Job(1, PodSpec("tpu-v6e-slice", "1x2", 2)),
            {"to 1, 4 or 8"},
            {"to 1x1, and limits of google.com/tpu to 1",
             "of the topology that you select instead"},
            {{kJobPod + kNodes, "1x1"}, {kJobPod + kChips, 1}}},
        Row{"FractionOnOneChip",
            Job(1, PodSpec("tpu-v6e-slice", "1x1", -1)),
            {"such as 4"},
            {"google.com/tpu to 1"},
            {{kJobPod + kChips, 1}}},
        Row{"PartsOfIronwood",
            Job(2, PodSpec("tpu7x", "2x2x2", 8)),
            {"1, 2 or 4"},
            {"google.com/tpu to 4"},
            {{kJobPod + kChips, 4}}},
        Row{"SubGroupsThatDoNotDivide",
            Lws(6, 3, PodSpec("tpu-v6e-slice", "4x4", 4)),
            {"subGroupSize to 4\n"},
            {"set subGroupSize to 4, and size to 8"},
            {{"/spec/leaderWorkerTemplate/size", 8},
             {"/spec/leaderWorkerTemplate/subGroupPolicy/subGroupSize", 4}}},
        Row{"SlicePartThatIsNone",
            Job(2, PodSpec("tpu-v6e-slice", "4x8", 4),
                "annotations: {cloud.google.com/gke-tpu-slice-topology: 2x16, "
                "kueue.x-k8s.io/podset-required-topology: cloud.google.com/gke-tpu-slice-2x16-id}"),
            {"4x4"},
            {"gke-tpu-slice-topology to 2x4, and podset-required-topology to "
             "cloud.google.com/gke-tpu-slice-2x4-id"},
            {{"/spec/template/metadata/annotations/cloud.google.com~1gke-tpu-slice-topology",
              "2x4"},
             {"/spec/template/metadata/annotations/kueue.x-k8s.io~1podset-required-topology",
              "cloud.google.com/gke-tpu-slice-2x4-id"}}}),
    CaseName());

// One fault is told once: two containers that share a host.
TEST(Suggestion, TwoContainersOfTwoChipsAreOneFault) {
  json job = Job(1, PodSpec("tpu-v6e-slice", "2x2", 2));
  json& containers = job["spec"]["template"]["spec"]["containers"];
  containers.push_back(containers[0]);
  containers[1]["name"] = "eval";
  Asker asker;
  const std::string changes = Changes(asker.Validate(Review(job)));
  EXPECT_TRUE(changes.starts_with(
      "TPU303: let one container ask for all 4 google.com/tpu, and the others for none\n"))
      << changes;
  EXPECT_EQ(changes.find("TPU301"), changes.npos) << changes;
}

// Request and limit that differ: the number is named, and it is one that the host has.
TEST(Suggestion, UnequalChipsAreThoseOfTheHost) {
  json job = Job(1, PodSpec("tpu-v6e-slice", "2x2", 8));
  job["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["google.com/tpu"] = 4;
  Asker asker;
  EXPECT_NE(
      Changes(asker.Validate(Review(job))).find("TPU302: set limits of google.com/tpu to 4\n"),
      std::string::npos);
}

}  // namespace
}  // namespace tpu_admission::admission::suggestions_followed_test
