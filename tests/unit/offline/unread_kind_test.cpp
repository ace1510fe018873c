// What `check` says of objects with chips that it does not read.
#include <gmock/gmock.h>

#include "support/check_text.h"

namespace tpu_admission::offline::unread_kind_test {
namespace {

std::string Told(const std::string& text) {
  std::string told;
  for (const ObjectReport& object : support::Check(text).objects) {
    for (const Note& warning : object.warnings) told += object.title + ": " + warning.text + "\n";
  }
  return told;
}

std::string Of(const std::string& head) {
  return Told(head + R"(metadata: {name: x}
spec: {template: {spec: {containers: [{name: c, resources: {limits: {google.com/tpu: 4}}}]}}}
)");
}

TEST(UnreadKind, SaysWhatWasMeant) {
  struct Case {
    std::string api_version, kind, meant;
  };
  const Case cases[] = {
      {"apps/v1", "Deploymnet", "did you mean Deployment (apps/v1)?"},
      {"v1", "Deploymnet", "did you mean Deployment (apps/v1)?"},
      {"batch/v1", "job", "did you mean Job (batch/v1)?"},
      {"ray.io/v1", "RayClutser", "did you mean RayCluster (ray.io/v1)?"},
      {"v1", "Job", "Job is of batch/v1"},
      {"extensions/v1beta1", "Deployment", "Deployment is of apps/v1"},
      {"jobset.x-k8.io/v1alpha2", "JobSet", "JobSet is of jobset.x-k8s.io/v1alpha2"},
  };
  for (const auto& [api_version, kind, meant] : cases) {
    EXPECT_EQ(Of("apiVersion: " + api_version + "\nkind: " + kind + "\n"),
              kind + " \"x\": asks for google.com/tpu, but is not read: " + api_version +
                  " has no kind " + kind + "; " + meant + "\n");
  }
}

TEST(UnreadKind, ACustomKindIsNotTakenForAnother) {
  for (const std::string head :
       {"apiVersion: example.com/v1\nkind: Job\n", "apiVersion: example.com/v1\nkind: Jobs\n",
        "apiVersion: kubeflow.org/v1\nkind: MXJob\n", "apiVersion: v1\nkind: Service\n"}) {
    EXPECT_THAT(Of(head), ::testing::HasSubstr(
                              "but is of a kind that is not read; see `kinds` of the policy"));
  }
}

// kubectl refuses it; what stands in it was looked at by nobody.
TEST(UnreadKind, AListThatIsNoneIsAnError) {
  const auto errors = [](const std::string& items) {
    const FileReport report = support::Check("apiVersion: v1\nkind: List\n" + items);
    return report.objects.empty() ? "" : report.objects.front().errors.at(0).text;
  };
  EXPECT_EQ(errors("items: 5\n"), "items must be a list of objects; nothing in it was checked");
  EXPECT_EQ(errors("items: {a: {}}\n"), errors("items: 5\n"));
  EXPECT_EQ(errors("items: []\n"), "");
  EXPECT_EQ(errors("items:\n"), "");
}

// Only what stands where a container asks for chips makes pods.
TEST(UnreadKind, WhatCountsChipsOrHoldsPiecesOfPodsIsNotTold) {
  const auto told = [](const std::string& api_version, const std::string& kind,
                       const std::string& spec) {
    return Told("apiVersion: " + api_version + "\nkind: " + kind +
                "\nmetadata: {name: x}\nspec: " + spec + "\n");
  };
  const std::string limits = "{limits: {google.com/tpu: 4}}";
  EXPECT_EQ(
      told("scheduling.x-k8s.io/v1alpha1", "PodGroup", "{minResources: {google.com/tpu: 16}}"), "");
  EXPECT_EQ(told("autoscaling.k8s.io/v1", "VerticalPodAutoscaler",
                 "{containerPolicies: [{maxAllowed: {google.com/tpu: 4}}]}"),
            "");
  EXPECT_EQ(told("kyverno.io/v1", "ClusterPolicy",
                 "{rules: [{mutate: {containers: [{resources: " + limits + "}]}}]}"),
            "");
  const std::string values = "{source: {helm: {valuesObject: {resources: " + limits + "}}}}";
  EXPECT_EQ(told("argoproj.io/v1alpha1", "Application", values), "");
  EXPECT_EQ(told("helm.toolkit.fluxcd.io/v2", "HelmRelease", values), "");
  EXPECT_NE(told("example.com/v1", "Application", values), "");
  EXPECT_NE(told("tekton.dev/v1", "Task", "{steps: [{computeResources: " + limits + "}]}"), "");
  EXPECT_NE(told("example.com/v1", "Runner", "{requests: {google.com/tpu: 4}}"), "");
}

TEST(UnreadKind, AFileOfJsonThatIsNoneIsTold) {
  const auto errors = [](const std::string& file, const std::string& text) {
    std::string told;
    for (const Note& error : support::Check(text, {}, file).errors) {
      told += std::to_string(error.place.line) + ": " + error.text + "\n";
    }
    return told;
  };
  const std::string json = R"({"apiVersion":"v1","kind":"Pod"})";
  EXPECT_EQ(errors("a.json", "\n// c\n" + json),
            "2: this is no JSON, which has no comments; nothing in it was checked\n");
  EXPECT_EQ(errors("a.json", json + "\n// c\n" + json),
            "2: this is no JSON, which has no comments; nothing in it was checked\n");
  for (const std::string& fine :
       {json, json + json, "# c\n" + json, std::string("apiVersion: v1\nkind: Pod\n"),
        std::string(), std::string("# c\n"), std::string("// c\n\n // d\n"), std::string("\"a\""),
        std::string("5\n")}) {
    EXPECT_EQ(errors("a.json", fine), "") << fine;
  }
  EXPECT_EQ(errors("a.yaml", "// c\n"), "");
}

TEST(UnreadKind, WhatLacksKindOrApiVersionIsTold) {
  EXPECT_EQ(Of("apiVersion: batch/v1\n"),
            "\"x\": asks for google.com/tpu, but has no kind, so it is not read; write it below "
            "apiVersion\n");
  EXPECT_EQ(
      Of("kind: Job\n"),
      "Job \"x\": asks for google.com/tpu, but has no apiVersion, so it is not read; Job is of "
      "batch/v1\n");
}

TEST(UnreadKind, WhatMayBeNoManifestIsNot) {
  for (const std::string text : {
           "resources: {limits: {google.com/tpu: 4}}\n",                       // values
           "kind: Deployment\nresources: {limits: {google.com/tpu: 4}}\n",     // likewise
           "apiVersion: v2\nname: chart\nannotations: {google.com/tpu: 4}\n",  // a chart
           "metadata: {labels: {}}\nspec: {resources: {limits: {google.com/tpu: 4}}}\n",
           "- {op: add, path: /spec, value: {limits: {google.com/tpu: 4}}}\n",
           "apiVersion: v1\nkind: Node\nstatus: {capacity: {google.com/tpu: 4}}\n",
       }) {
    EXPECT_EQ(Told(text), "") << text;
  }
}

}  // namespace
}  // namespace tpu_admission::offline::unread_kind_test
