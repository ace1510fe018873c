#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"

namespace tpu_admission::rules {
namespace tpu413 {

// https://github.com/kubernetes-sigs/lws/blob/main/pkg/webhooks/leaderworkerset_webhook.go
bool IsTaken(std::int64_t size, std::int64_t part) {
  return part <= size && (size % part == 0 || (size - 1) % part == 0);
}

// The sub-groups that make slices, or those that are written; and a size that they divide.
workload::Edits Edits(const Subject& subject) {
  const std::optional<Slice> slice = subject.SliceOfPods();
  return WithPods(subject,
                  slice && slice->multi_host() ? slice->pods : subject.pods.scale.sub_group);
}

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kGroup || scale.sub_group == 0) return;
  const std::int64_t size = scale.pods.value.value_or(0);
  const std::int64_t part = scale.sub_group;
  if (size < 1 || part < 1 || IsTaken(size, part)) return;
  report.Add(
      {.pointer = fmt::format("{}/subGroupPolicy/subGroupSize", scale.pointer),
       .summary =
           fmt::format("subGroupSize {} divides neither size {} nor {}", part, size, size - 1),
       .problem = fmt::format("is {}, but size is {}: sub-groups all have the same number of pods, "
                              "of all pods or of all but the leader. LeaderWorkerSet's own webhook "
                              "refuses this.",
                              part, size),
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
