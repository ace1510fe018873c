// What a comment, an exemption, a flag or the policy excuses is left as it is, whatever else is
// repaired in the same object.
#include <gmock/gmock.h>

#include "support/settings.h"
#include "support/with.h"
#include "tpu_admission/offline/fix.h"

namespace tpu_admission::offline::excused_test {
namespace {

using support::With;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Day kToday = {2026, 11, 22};

struct Case {
  std::string text;
  std::vector<std::string> ignored = {};
  std::string_view policy = {};
};

CheckWish WishOf(const Case& of) {
  return {"", kToday, RuleChoice::Parse({}, of.ignored).value(), /*with_recorded=*/false};
}

std::string Fixed(const Case& of) {
  const FixedText fixed = FixText(support::SettingsOf(of.policy), WishOf(of), 'a', of.text);
  EXPECT_THAT(fixed.problems, IsEmpty());
  return fixed.text;
}

FileReport Checked(const Case& of) {
  return CheckText(support::SettingsOf(of.policy), WishOf(of), "a.yaml", of.text);
}

// The value of the toleration matches no taint (TPU105), which a repair mends.
const std::string kPod = R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
  - name: a
    resources: {limits: {google.com/tpu: 4}, requests: {cpu: "4", memory: 1Gi}}
  tolerations:
  - {key: google.com/tpu, operator: Equal, value: "true", effect: NoSchedule}
)";

// Half a slice (TPU401), with too many chips for a host (TPU301).
const std::string kJob = R"(apiVersion: batch/v1
kind: Job
metadata:
  name: j
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    spec:
      subdomain: j
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 4x4
      containers:
      - name: a
        resources: {limits: {google.com/tpu: 8}, requests: {cpu: 1, memory: 1Gi}}
)";

TEST(Excused, ByACommentStaysWhileAnotherFaultIsMended) {
  const std::string shape = "3x3  # tpu-admission: ignore TPU203 our new shape";
  EXPECT_THAT(Fixed({With(kPod, "2x2", shape)}), HasSubstr(shape));

  const std::string cpu =
      "requests: {cpu: \"200\", memory: 1Gi}}  # tpu-admission: ignore TPU602 x";
  const std::string big = Fixed({With(kPod, "requests: {cpu: \"4\", memory: 1Gi}}", cpu)});
  EXPECT_THAT(big, HasSubstr(cpu));
  EXPECT_THAT(big, Not(HasSubstr("\"true\"")));
}

TEST(Excused, ByACommentAFlagThePolicyOrAnAnnotationTheCountStays) {
  const std::string annotated =
      With(kJob, "  name: j\n", "  name: j\n  annotations: {tpu-admission.io/ignore: TPU401=x}\n");
  for (const Case& of :
       {Case{With(kJob, "m: 2\n", "m: 2  # tpu-admission: ignore TPU401 half a slice\n")},
        Case{kJob, {"TPU401"}}, Case{kJob, {}, "rules: {TPU401: off}"},
        Case{annotated, {}, "ignore: true"}}) {
    const std::string fixed = Fixed(of);
    EXPECT_THAT(fixed, HasSubstr("  parallelism: 2")) << fixed;
    EXPECT_THAT(fixed, HasSubstr("  completions: 2\n")) << fixed;
  }
  EXPECT_THAT(Fixed({kJob}), HasSubstr("  parallelism: 4\n")) << "nobody excuses it";
}

// A count that is excused is one for its topology.
TEST(Excused, TheTopologyStaysAndWhatElseIsWrongIsMended) {
  const std::string job = With(With(kJob, "8}", "4}"), "cpu: 1,", "cpu: 999,");
  const std::string fixed = Fixed({job, {"TPU401"}});
  EXPECT_THAT(fixed, HasSubstr("gke-tpu-topology: 4x4\n"));
  EXPECT_THAT(fixed, HasSubstr("  parallelism: 2\n"));
  EXPECT_THAT(fixed, HasSubstr("cpu: 170,"));
}

// A repair is told with what it changes, and a denial without one says so.
TEST(Excused, WhereNothingElseIsPossibleNoRepairIsShown) {
  const FileReport report = Checked({kJob, {"TPU401"}});
  ASSERT_EQ(report.objects.size(), 1U);
  for (const ReportedRepair& repair : report.objects[0].repairs) {
    EXPECT_THAT(repair.repair.changes, Not(HasSubstr("parallelism")));
  }
  EXPECT_EQ(report.objects[0].repairs.empty(), !report.objects[0].why_no_repair.empty());
}

TEST(Excused, WhatWouldBeTakenOutStays) {
  const std::string sound = With(kJob, "google.com/tpu: 8", "google.com/tpu: 4");
  const std::string node =
      "      # tpu-admission: ignore TPU114 the node is ours\n      nodeName: n\n";
  EXPECT_THAT(Fixed({With(sound, "      subdomain: j\n", node)}), HasSubstr(node));
  const std::string own =
      "    # tpu-admission: ignore TPU117 our own label\n"
      "    cloud.google.com/tpu-topology: 2x2\n";
  EXPECT_THAT(Fixed({With(kPod, "    cloud.google.com/gke-tpu-topology: 2x2\n", own)}),
              HasSubstr(own));
}

// Only recorded by default, but --fix adds something for them.
TEST(Excused, NothingIsAddedForWhatACommentExcuses) {
  const std::string job = With(With(kJob, "8}", "4}"), "m: 2", "m: 4");
  const std::string toleration = "  # tpu-admission: ignore TPU104 GKE adds it\n    spec:\n";
  const Case tolerated{With(job, "  spec:\n      sub", toleration + "      sub")};
  EXPECT_THAT(Fixed(tolerated), Not(HasSubstr("tolerations")));
  EXPECT_THAT(Checked(tolerated).warnings, IsEmpty());

  const std::string requests =
      "    # tpu-admission: ignore TPU601 best effort is fine\n"
      "        resources: {limits: {google.com/tpu: 4}}\n";
  const Case best_effort{
      With(job, "    resources: {limits: {google.com/tpu: 4}, requests: {cpu: 1, memory: 1Gi}}\n",
           requests)};
  EXPECT_THAT(Fixed(best_effort), HasSubstr(requests));
  EXPECT_THAT(Checked(best_effort).warnings, IsEmpty());
}

}  // namespace
}  // namespace tpu_admission::offline::excused_test
