#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu515 {

// By which somebody has thought of where the machines come from.
constexpr std::array<std::string_view, 10> kSources = {
    workload::kGkeReservation,  workload::kGkeReservationAffinity, workload::kGkeSpot,
    workload::kGkePreemptible,  workload::kGkeFlexStart,           workload::kGkeProvisioning,
    workload::kGkeQueued,       workload::kGkeComputeClass,        workload::kGkeNodePool,
    workload::kGkeNodePoolGroup};

bool NamesSource(const k8s::PodSpec& spec) {
  return std::any_of(kSources.begin(), kSources.end(), [&](std::string_view key) {
    return workload::FindRequired(spec, key).has_value();
  });
}

void Check(const Subject& subject, Report& report) {
  const Shape& shape = subject.shape;
  if (shape.generation == nullptr || !shape.topology || !shape.generation->custom) return;
  const std::int64_t chips = shape.topology->chips();
  if (chips <= shape.generation->custom->above_chips || subject.workload.queued) return;
  if (NamesSource(subject.pods.pod.spec)) return;
  report.Add(
      {.pointer = subject.At(workload::NodeLabel::kTopology),
       .summary = fmt::format("a slice of {} is hardly to be had without a reservation",
                              Counted(chips, "chip")),
       .problem = fmt::format("is {} at once, and nothing says where they come from. If the node "
                              "pool is there already, this is no fault; else so large a slice is "
                              "hardly ever free on demand, and the pods stay Pending.",
                              Counted(chips, "chip")),
       .change = "select a reservation, Spot or flex-start, or the node pool",
       .decision = "which kind of capacity is meant"});
}

}  // namespace tpu515

const Rule kTPU515 = {
    .id = "TPU515",
    .name = "large-slice",
    .mode = Mode::kAudit,
    .check = tpu515::Check,
};

}  // namespace tpu_admission::rules
