#include "rules/engine/suggestions.h"

#include <gtest/gtest.h>

#include "unit/rules/judge.h"

namespace tpu_admission::rules::suggestions_test {
namespace {

TEST(Suggestions, ATopologyOfAGenerationWithoutPlacementsIsWords) {
  const tpu::Generation bare;
  Shape shape;
  shape.generation = &bare;
  const workload::Workload workload;
  const workload::PodSetRow row;
  workload::PodSet pods;
  pods.row = &row;
  const Cluster cluster;
  const Subject subject{workload, pods, *TestCatalog(), cluster, shape};
  Finding finding;
  SuggestTopology(subject, 16, finding);
  EXPECT_TRUE(finding.edits.empty());
  EXPECT_EQ(finding.change, "set cloud.google.com/gke-tpu-topology to one that it has");
  EXPECT_EQ(finding.decision, "which topology is meant");
}

// Nobody but a person divides the replicas of several roles.
TEST(Suggestions, WordsOfAMissingTopologyAreWhole) {
  const std::string pods =
      "template: {spec: {nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}, "
      "containers: [{name: c, image: i, resources: {limits: {google.com/tpu: 4}}}]}}";
  const std::string yaml =
      "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: t}, spec: "
      "{pytorchReplicaSpecs: {Master: {replicas: 1, " +
      pods + "}, Worker: {replicas: 2, " + pods + "}}}}";
  const std::vector<Finding> findings = FindingsOf(yaml);
  const auto missing = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.rule->id == "TPU103";
  });
  ASSERT_NE(missing, findings.end());
  EXPECT_TRUE(missing->Change().starts_with("set cloud.google.com/gke-tpu-topology to "))
      << missing->Change();
}

TEST(Sentence, SaysEqualValuesTogether) {
  EXPECT_EQ(SentenceOf({{"/c/resources/requests/google.com~1tpu", 4},
                        {"/c/resources/limits/google.com~1tpu", 4},
                        {"/spec/parallelism", 2},
                        {"/spec/completions", 2},
                        {"/spec/backoffLimit", 2}}),
            "set requests and limits of google.com/tpu to 4, and parallelism, completions and "
            "backoffLimit to 2");
}

TEST(Sentence, KeepsRequestsAndLimitsTogether) {
  EXPECT_EQ(SentenceOf({{"/c/resources/requests/google.com~1tpu", 4},
                        {"/c/resources/limits/google.com~1tpu", 4},
                        {"/spec/parallelism", 4}}),
            "set requests and limits of google.com/tpu and parallelism to 4");
}

TEST(Sentence, SaysWhatGoes) {
  EXPECT_EQ(SentenceOf({{"/spec/nodeName", std::nullopt}, {"/spec/size", 2}, {"/a", std::nullopt}}),
            "remove nodeName, and set size to 2, and remove a");
}

// In a YAML file, a bare 4 would be a number, and no label.
TEST(Sentence, QuotesTextThatLooksLikeANumber) {
  EXPECT_EQ(SentenceOf({{"/spec/nodeSelector/cloud.google.com~1gke-accelerator-count", "4"}}),
            "set cloud.google.com/gke-accelerator-count to \"4\"");
  EXPECT_EQ(SentenceOf({{"/x/values/0", "4x4", "cloud.google.com/gke-tpu-topology"}}),
            "set cloud.google.com/gke-tpu-topology to 4x4");
}

}  // namespace
}  // namespace tpu_admission::rules::suggestions_test
