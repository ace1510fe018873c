#include <fmt/core.h>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

// More completions are more work: to drop them is the user's decision.
std::string Change(const workload::Scale& scale, std::int64_t pods) {
  const std::string change = CountChange(scale, pods);
  if (*scale.completions.value <= pods) return change;
  return fmt::format("{} (these {} pods then do all the work), or make a Job for each {} of the {}",
                     change, pods, pods, *scale.completions.value);
}

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob || !scale.completions.written) return;
  if (!scale.completions.value || !scale.pods.value || *scale.pods.value <= 0) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  const std::int64_t completions = *scale.completions.value;
  const std::int64_t parallelism = *scale.pods.value;
  if (!slice || !slice->multi_host() || completions == parallelism) return;
  report.Add(
      {.pointer = scale.completions.pointer(),
       .summary = fmt::format("completions {} and parallelism {} differ on a multi-host slice",
                              completions, parallelism),
       .problem = fmt::format(
           "is {}, but parallelism is {}. All workers of a {} slice start and end together, so the "
           "pods that come later or are missing leave the others waiting.",
           completions, parallelism, slice->topology.Text()),
       .change = Change(scale, slice->pods)});
}

}  // namespace

const Rule kTPU404 = {
    .id = "TPU404",
    .name = "completions",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = Check,
};

}  // namespace tpu_admission::rules
