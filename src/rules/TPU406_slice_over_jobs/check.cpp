#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu406 {

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob || !scale.tpu_pods || !scale.slices.value) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  const std::int64_t pods = *scale.tpu_pods;
  const std::int64_t jobs = *scale.slices.value;
  if (!slice || pods <= 0 || jobs < 2 || pods >= slice->pods) return;
  if ((pods * jobs) % slice->pods != 0 || MayRunAlone(subject.pods.pod.spec)) return;
  workload::Edits edits = WithPods(subject, slice->pods);
  edits.push_back({scale.slices.pointer(), pods * jobs / slice->pods});
  const std::string topology = slice->topology.Text();
  report.Add({.pointer = scale.slices.pointer(),
              .summary = fmt::format("a slice of {} is spread over {} with {} each", topology,
                                     Counted(jobs, "Job"), Counted(pods, "pod")),
              .problem = fmt::format(
                  "is {}, so the {} of {} slice belong to several Jobs. Each Job counts its pods "
                  "from 0, starts and fails by itself, and nothing keeps the Jobs on one slice.",
                  jobs, Counted(slice->pods, "pod"), WithArticle(topology)),
              .edits = std::move(edits)});
}

}  // namespace tpu406

const Rule kTPU406 = {
    .id = "TPU406",
    .name = "slice-over-jobs",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu406::Check,
};

}  // namespace tpu_admission::rules
