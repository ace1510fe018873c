// What an Argo workflow makes by `resource` steps is judged where it stands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/settings.h"
#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline::workflow_manifests_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

FileReport Check(std::string text) {
  CheckWish wish{"", {2026, 11, 22}, {}};
  wish.with_recorded = false;
  return CheckText(support::StandardSettings(), wish, "a.yaml", std::move(text));
}

std::string Job(const std::string& indent, const std::string& pods) {
  std::string text;
  for (const std::string& line :
       std::vector<std::string>{"apiVersion: batch/v1",
                                "kind: Job",
                                "metadata: {name: train}",
                                "spec:",
                                "  parallelism: " + pods,
                                "  completions: " + pods,
                                "  completionMode: Indexed",
                                "  template:",
                                "    spec:",
                                "      restartPolicy: Never",
                                "      subdomain: train",
                                "      nodeSelector:",
                                "        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice",
                                "        cloud.google.com/gke-tpu-topology: 4x4",
                                "      tolerations:",
                                "      - {key: google.com/tpu, operator: Exists}",
                                "      containers:",
                                "      - name: jax",
                                "        image: example.com/jax",
                                "        resources:",
                                "          requests: {cpu: 40, memory: 100Gi}",
                                "          limits: {google.com/tpu: 4}"}) {
    text += indent + line + "\n";
  }
  return text;
}

// The manifest is on line 10.
std::string Workflow(const std::string& manifest, const std::string& action = "create",
                     const std::string& comment = "") {
  return "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: nightly}\nspec:\n"
         "  entrypoint: train\n  templates:\n  - name: train\n    resource:\n      action: " +
         action + "\n" + comment + "      manifest: |\n" + manifest;
}

TEST(WorkflowManifests, AreJudgedWhereTheyStand) {
  const FileReport report = Check(Workflow(Job("        ", "2")));
  ASSERT_THAT(report.objects, SizeIs(1));
  const ObjectReport& object = report.objects[0];
  EXPECT_EQ(object.title, "Job \"train\" of Workflow \"nightly\"");
  ASSERT_THAT(object.findings, SizeIs(1));
  const ReportedFinding& finding = object.findings[0];
  EXPECT_EQ(finding.rule->name, "hosts");
  EXPECT_EQ(finding.mode, rules::Mode::kDeny);
  EXPECT_EQ(finding.pointer, "/spec/templates/0/resource/manifest");
  EXPECT_EQ(finding.field, "spec.templates[0].resource.manifest: spec.parallelism");
  EXPECT_EQ(finding.place.begin.line, 10U);
  EXPECT_EQ(report.workloads, 1U);
  EXPECT_THAT(object.repairs, IsEmpty()) << "a text in a text is not mended";
}

TEST(WorkflowManifests, ThatAreSoundOrOnlyReadSayNothing) {
  EXPECT_THAT(Check(Workflow(Job("        ", "4"))).objects, IsEmpty());
  EXPECT_THAT(Check(Workflow(Job("        ", "2"), "delete")).objects, IsEmpty());
}

// A pattern that Argo fills in is no YAML yet, and no error.
TEST(WorkflowManifests, ThatArgoFillsInAreLeftAlone) {
  const FileReport report =
      Check(Workflow(Job("        ", "2") + "        {{inputs.parameters.more}}\n"));
  EXPECT_THAT(report.objects, IsEmpty());
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_THAT(Check(Workflow(Job("        ", "\"{{inputs.parameters.hosts}}\""))).objects,
              IsEmpty());
}

TEST(WorkflowManifests, AreExcusedByACommentOfTheFile) {
  const FileReport report = Check(Workflow(
      Job("        ", "2"), "create", "      # tpu-admission: ignore TPU401 two halves meet\n"));
  ASSERT_THAT(report.objects, SizeIs(1));
  EXPECT_EQ(report.objects[0].findings[0].ignored_because, "two halves meet");
  EXPECT_THAT(report.warnings, IsEmpty());
}

TEST(WorkflowManifests, OfACronWorkflowAreJudgedToo) {
  std::string text =
      "apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\nmetadata: {name: n}\n"
      "spec:\n  workflowSpec:\n    templates:\n    - name: train\n      resource:\n"
      "        action: apply\n        manifest: |\n" +
      Job("          ", "2");
  EXPECT_THAT(Check(text).objects, SizeIs(1));
}

// One text, named again and again: what is read of it has a bound.
TEST(WorkflowManifests, AreBounded) {
  std::string text = Workflow("");
  text.replace(text.find("manifest: |"), 11, "manifest: &big |");
  std::string big = Job("        ", "4");
  while (big.size() < (2 << 20)) big += "        # " + std::string(1000, 'x') + "\n";
  text += big;
  for (int i = 0; i < 900; ++i) {
    text += "  - {name: t" + std::to_string(i) + ", resource: {action: create, manifest: *big}}\n";
  }
  EXPECT_LE(Check(text).workloads, 8U);
}

}  // namespace
}  // namespace tpu_admission::offline::workflow_manifests_test
