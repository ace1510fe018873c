#include <fmt/core.h>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

// https://github.com/kubernetes-sigs/lws/blob/main/pkg/webhooks/leaderworkerset_webhook.go
bool IsTaken(std::int64_t size, std::int64_t part) {
  return part <= size && (size % part == 0 || (size - 1) % part == 0);
}

// "set subGroupSize to 4", and the sizes nearest to the one written that it divides; a leader
// without chips comes on top.
std::string Change(const Subject& subject, std::int64_t size, std::int64_t written) {
  const workload::Scale& scale = subject.pods.scale;
  const std::optional<Slice> slice = subject.SliceOfPods();
  const std::int64_t part = slice && slice->multi_host() ? slice->pods : written;
  const std::string set = part == written ? "" : fmt::format("set subGroupSize to {}", part);
  if (!set.empty() && IsTaken(size, part)) return set;
  const std::int64_t below = size / part * part;
  const std::int64_t above = below + part + scale.leaders_without_tpus;
  const std::string sizes =
      below == 0 ? std::to_string(above)
                 : fmt::format("{} or {}", below + scale.leaders_without_tpus, above);
  return fmt::format("{}{} size to {}", set, set.empty() ? "set" : " and", sizes);
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
       .change = Change(subject, size, part)});
}

}  // namespace

const Rule kTPU413 = {
    .id = "TPU413",
    .name = "sub-groups",
    .mode = Mode::kDeny,
    .judges_counts = true,
    .check = Check,
};

}  // namespace tpu_admission::rules
