#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/lws_keys.h"

namespace tpu_admission::rules {
namespace tpu402 {

using workload::Counting;

// What holds the pods together: "Job", "group".
std::string_view Unit(const workload::Scale& scale) {
  if (scale.counting != Counting::kGroup) return "Job";
  return scale.sub_group > 0 ? "sub-group" : "group";
}

// Pods in a queue name a slice of blocks: GKE's slice controller writes what Kueue is told, in the
// place of what the pods say, and takes the pods of a Job for one such slice.
// AI-Hypercomputer/xpk, branch slice-main: slice/internal/webhooks/defaults.go
bool IsForSliceController(const Subject& subject) {
  const auto counting = subject.pods.scale.counting;
  const auto slice = NamedSlice(subject.pods);
  const tpu::Generation* const generation = subject.shape.generation;
  return slice && subject.workload.queued && generation != nullptr && generation->dynamic_slicing &&
         slice->chips() >= generation->dynamic_slicing->block.chips() &&
         (counting == Counting::kJob || counting == Counting::kGroup);
}

std::optional<Slice> SliceOf(const Subject& subject) {
  return IsForSliceController(subject) ? subject.SliceOfSelection() : subject.SliceOfPods();
}

std::string Consequence(const Subject& subject, std::int64_t left_over) {
  const auto domain = subject.workload.metadata.annotations.Find(workload::kLwsExclusiveTopology);
  if (Unit(subject.pods.scale) == "group" && domain == workload::kGkeNodePool) {
    return fmt::format(
        "LeaderWorkerSet sends all pods of a group to one node pool, which is one slice, so {} of "
        "them stay Pending.",
        left_over);
  }
  if (IsForSliceController(subject)) {
    return fmt::format(
        "GKE's slice controller takes the pods of one {} for one slice, and refuses any that do "
        "not use exactly all of it (full utilization).",
        Unit(subject.pods.scale));
  }
  if (subject.pods.scale.counting != Counting::kJob || !subject.has_node_pool_of_its_own()) {
    return "Nothing keeps the pods of a slice together, and their indexes run on across slices.";
  }
  return fmt::format(
      "JobSet gives each Job a node pool of its own, which is one slice, so {} of them stay "
      "Pending.",
      left_over);
}

void Suggest(const Subject& subject, std::int64_t slices, std::int64_t pods, Finding& finding) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.sub_group > 0) {
    finding.edits = WithPods(subject, pods);  // more sub-groups of the same pods
  } else if (scale.slices.field.empty()) {
    finding.change =
        fmt::format("use a JobSet with {} replicas of a Job with parallelism {}", slices, pods);
    finding.decision = "how the work is divided";
  } else if (scale.slices.value.value_or(-1) < 0) {
    const bool is_job = scale.counting == Counting::kJob;
    finding.change = fmt::format("set {} to {}, and {} to {} times as many",
                                 is_job ? "parallelism and completions" : scale.pods.field, pods,
                                 scale.slices.field, slices);
    finding.decision = "how many Jobs there are to be";
  } else {
    finding.edits = WithPods(subject, pods);
    finding.edits.push_back({scale.slices.pointer(), slices * *scale.slices.value});
  }
}

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  const bool counted = scale.counting == Counting::kJob || scale.counting == Counting::kGroup ||
                       scale.counting == Counting::kTogether;
  if (!counted || !scale.tpu_pods) return;
  const std::optional<Slice> slice = SliceOf(subject);
  const std::int64_t found = *scale.tpu_pods;
  if (!slice || !slice->multi_host() || found <= slice->pods || found % slice->pods != 0) return;
  // Pods of other chips than a host has fill no slices at all: chips-per-host speaks of them.
  if (subject.pods.chips_per_pod * slice->pods != slice->topology.chips()) return;
  const std::int64_t slices = found / slice->pods;
  const std::string topology = slice->topology.Text();
  const std::string unit(Unit(scale));
  Finding finding;
  finding.summary = fmt::format("{} of one {} span {} slices of {}", Counted(found, "pod"), unit,
                                slices, topology);
  Suggest(subject, slices, slice->pods, finding);
  FoundAt at = FoundPodsAt(scale, finding.edits);
  finding.pointer = std::move(at.pointer);
  finding.problem =
      fmt::format("{}, which is {} slices of {} ({} each) in one {}. {}", at.text, slices, topology,
                  Counted(slice->pods, "pod"), unit, Consequence(subject, found - slice->pods));
  report.Add(std::move(finding));
}

}  // namespace tpu402

const Rule kTPU402 = {
    .id = "TPU402",
    .name = "slices-per-job",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu402::Check,
};

}  // namespace tpu_admission::rules
