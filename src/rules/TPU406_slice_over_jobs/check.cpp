#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu406 {

// Why the Jobs do not make one slice.
std::string WhyNot(const Subject& subject, const Slice& slice, std::string_view unit,
                   std::int64_t pods) {
  if (subject.has_node_pool_of_its_own()) {
    return fmt::format(
        "JobSet gives each Job a node pool of its own, which is one slice, so {} run{} on "
        "one that waits for {}: none begins.",
        Counted(pods, "pod"), pods == 1 ? "s" : "", slice.pods);
  }
  return fmt::format(
      "Each {} counts its pods from 0, starts and fails by itself, and nothing keeps the {}s on "
      "one slice.",
      unit, unit);
}

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob || !scale.tpu_pods || !scale.slices.value) return;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  const std::int64_t pods = *scale.tpu_pods;
  const std::int64_t jobs = *scale.slices.value;
  // Pods that take parts of a single host are no slice: each Job is a program of its own.
  if (!slice || pods <= 0 || jobs < 2 || pods >= slice->pods) return;
  if ((pods * jobs) % slice->pods != 0 || MayRunAlone(subject.pods.pod.spec)) return;
  workload::Edits edits = WithPods(subject, slice->pods);
  edits.push_back({scale.slices.pointer(), pods * jobs / slice->pods});
  const std::string topology = slice->topology.Text();
  // What counts pods in a kind of the policy need not be a Job.
  const std::string unit(subject.pods.row->of_policy ? "set" : "Job");
  report.Add({.pointer = scale.slices.pointer(),
              .summary = fmt::format("a slice of {} is spread over {} with {} each", topology,
                                     Counted(jobs, unit), Counted(pods, "pod")),
              .problem = fmt::format("is {}, so the {} of {} slice belong to several {}s. {}", jobs,
                                     Counted(slice->pods, "pod"), WithArticle(topology), unit,
                                     WhyNot(subject, *slice, unit, pods)),
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
