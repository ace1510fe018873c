#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob || !scale.tpu_pods || !scale.slices.value) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  const std::int64_t pods = *scale.tpu_pods;
  const std::int64_t jobs = *scale.slices.value;
  if (!slice || pods <= 0 || jobs < 2 || pods >= slice->pods) return;
  if ((pods * jobs) % slice->pods != 0) return;
  const std::string slices = std::to_string(pods * jobs / slice->pods);
  const std::string topology = slice->topology.Text();
  report.Add({.pointer = scale.slices.pointer(),
              .container = "",
              .summary = "a slice of " + topology + " is spread over " + Count(jobs, "Job") +
                         " with " + Count(pods, "pod") + " each",
              .problem = "is " + std::to_string(jobs) + ", so the " + Count(slice->pods, "pod") +
                         " of a " + topology +
                         " slice belong to several Jobs. Each Job counts its "
                         "pods from 0, starts and fails by itself, and nothing keeps the Jobs on "
                         "one slice.",
              .change = "set " + std::string(scale.slices.field) + " to " + slices +
                        " and parallelism and completions to " + std::to_string(slice->pods)});
}

}  // namespace

const Rule kTPU406 = {
    .id = "TPU406",
    .name = "slice-over-jobs",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = Check,
};

}  // namespace tpu_admission::rules
