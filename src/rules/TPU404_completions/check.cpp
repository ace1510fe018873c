#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"

namespace tpu_admission::rules {
namespace tpu404 {

// More completions are more work: to drop them is the user's decision.
void Suggest(const Subject& subject, std::int64_t pods, Finding& finding) {
  const workload::Scale& scale = subject.pods.scale;
  const std::int64_t done = *scale.completions.value;
  if (done <= pods) {
    finding.edits = WithPods(subject, pods);
    return;
  }
  finding.change = fmt::format(
      "set parallelism and completions to {} (these {} pods then do all the work), or make a Job "
      "for each {} of the {}",
      pods, pods, pods, done);
  finding.decision = "how the work is divided";
}

// Of a Job, and of the Jobs of a JobSet, whose webhook makes them Indexed: a runtime of Kubeflow
// Trainer gets its counts later.
bool IsMissed(const Subject& subject) {
  const std::string_view group = subject.workload.kind->group;
  const workload::Scale& scale = subject.pods.scale;
  return scale.indexed && scale.pods.written && scale.pods.value.value_or(0) > 0 &&
         (group == "batch" || group == "jobset.x-k8s.io");
}

// With neither count both are 1; with parallelism alone completions stay away.
void CheckMissing(const Subject& subject, Report& report) {
  if (!IsMissed(subject)) return;
  const std::int64_t pods = *subject.pods.scale.pods.value;
  const bool is_job = subject.workload.kind->name == "Job";
  report.Add({.pointer = subject.pods.scale.completions.pointer(),
              .summary = "an Indexed Job has parallelism but no completions",
              .problem = fmt::format(
                  "is not set, and parallelism is {}. The API server refuses {}: \"Required value: "
                  "when completion mode is Indexed\".",
                  pods, is_job ? "such a Job" : "each Job made of this, so no pod ever begins"),
              .edits = {{subject.pods.scale.completions.pointer(), pods}}});
}

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob) return;
  if (!scale.completions.written) return CheckMissing(subject, report);
  if (!scale.completions.value || !scale.pods.value || *scale.pods.value <= 0) return;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  const std::int64_t completions = *scale.completions.value;
  const std::int64_t parallelism = *scale.pods.value;
  if (!slice || completions <= parallelism) return;
  Finding finding = {
      .pointer = scale.completions.pointer(),
      .summary = fmt::format("completions {} and parallelism {} differ on a multi-host slice",
                             completions, parallelism),
      .problem = fmt::format(
          "is {}, but parallelism is {}. All workers of {} slice start and end together, so the "
          "pods that come later or are missing leave the others waiting.",
          completions, parallelism, WithArticle(slice->topology.Text()))};
  Suggest(subject, slice->pods, finding);
  report.Add(std::move(finding));
}

}  // namespace tpu404

const Rule kTPU404 = {
    .id = "TPU404",
    .name = "completions",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu404::Check,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
