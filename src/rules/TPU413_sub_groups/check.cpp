#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace tpu413 {

// https://github.com/kubernetes-sigs/lws/blob/main/pkg/webhooks/leaderworkerset_webhook.go
bool IsTaken(std::int64_t size, std::int64_t part, bool excluded) {
  return part <= size && ((!excluded && size % part == 0) || (size - 1) % part == 0);
}

std::string PolicyPointer(const workload::Scale& scale, std::string_view field) {
  return fmt::format("{}/subGroupPolicy/{}", scale.pointer, field);
}

// The sub-groups that make slices, or those that are written; and a size that they divide. A leader
// with chips is to be in one of them.
workload::Edits Edits(const Subject& subject) {
  const workload::Scale& scale = subject.pods.scale;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  workload::Edits edits = WithPods(subject, slice ? slice->pods : scale.sub_group);
  if (scale.leader_excluded && scale.leaders_without_tpus == 0) {
    edits.insert(edits.begin(), {PolicyPointer(scale, "subGroupPolicyType"), std::nullopt});
  }
  return edits;
}

// LeaderWorkerSet's webhook of pods wants to number each pod with chips, by its sub-group.
// https://github.com/kubernetes-sigs/lws/blob/v0.9.0/pkg/utils/accelerators/tpu.go
void CheckLeader(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  const bool is_one_of_them = scale.leaders_without_tpus == 0;
  if (!scale.leader_excluded || (!is_one_of_them && !scale.leader_has_others)) return;
  const workload::PodSet* const leader = workload::LeaderOf(subject.workload.pod_sets);
  // A leader without a template of its own is made from that of the workers.
  const auto containers = (leader == nullptr ? subject.pods : *leader).pod.spec.containers;
  if (std::any_of(containers.begin(), containers.end(), [](const auto& one) {
        return one.HasEnv(workload::kTpuWorkerId) || one.HasEnv(workload::kTpuWorkerHostNames);
      })) {
    return;
  }
  const std::optional<Slice> slice = subject.MultiHostSlice();
  const bool is_alone = is_one_of_them && slice;
  Finding finding = {
      .pointer = PolicyPointer(scale, "subGroupPolicyType"),
      .summary = "LeaderExcluded leaves a leader with chips in no sub-group",
      .problem = fmt::format(
          "is LeaderExcluded, but the leader asks for chips too{}. LeaderWorkerSet's webhook "
          "numbers the pods with chips by their sub-group, and refuses a leader that has none.",
          is_alone ? fmt::format(", and would be alone on a slice of {} hosts", slice->hosts) : ""),
      .milder = is_alone ? std::nullopt : std::optional(Mode::kWarn)};
  if (is_one_of_them) {
    finding.edits = Edits(subject);
    if (!is_alone) finding.edits.resize(1);  // whatever the size, each pod works
    finding.change = ", or give the leader a template without chips";
  } else {
    finding.change =
        fmt::format("take google.com/tpu away from the leader, or number it yourself by {}",
                    workload::kTpuWorkerId);
    finding.decision = "whether the leader needs its chips";
  }
  report.Add(std::move(finding));
}

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kGroup || scale.sub_group == 0) return;
  const std::int64_t size = scale.pods.value.value_or(0);
  const std::int64_t part = scale.sub_group;
  if (size < 1 || part < 1) return;
  const bool excluded = scale.leader_excluded;
  if (IsTaken(size, part, excluded)) return CheckLeader(subject, report);
  report.Add(
      {.pointer = PolicyPointer(scale, "subGroupSize"),
       .summary = excluded ? fmt::format("subGroupSize {} does not divide size - 1, which is {}",
                                         part, size - 1)
                           : fmt::format("subGroupSize {} divides neither size {} nor {}", part,
                                         size, size - 1),
       .problem =
           fmt::format("is {}, but size is {}: sub-groups all have the same number of pods, {}. "
                       "LeaderWorkerSet's own webhook refuses this.",
                       part, size,
                       excluded ? "and with LeaderExcluded they are made of all pods but the leader"
                                : "of all pods or of all but the leader"),
       .edits = Edits(subject)});
}

}  // namespace tpu413

const Rule kTPU413 = {
    .id = "TPU413",
    .name = "sub-groups",
    .mode = Mode::kDeny,
    .judges_counts = true,
    .check = tpu413::Check,
};

}  // namespace tpu_admission::rules
