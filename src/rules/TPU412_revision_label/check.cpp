#include <fmt/core.h>

#include <algorithm>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace tpu412 {

using workload::Counting;

constexpr std::size_t kLongestLabel = 63;
// "-" and the hash of the revision, a number of 32 bits in up to ten digits.
// https://github.com/kubernetes/kubernetes/issues/64023
constexpr std::size_t kHash = 11;

// What is added to the name before the hash: LeaderWorkerSet makes a StatefulSet for the workers of
// each group, "train-0". https://github.com/kubernetes-sigs/lws/issues/410
std::size_t AddedBefore(const workload::Scale& scale) {
  const bool has_workers = scale.counting == Counting::kGroup && scale.pods.value.value_or(0) > 1;
  if (!has_workers) return 0;
  return 1 + std::to_string(std::max<std::int64_t>(scale.slices.value.value_or(1), 1) - 1).size();
}

void Check(const Subject& subject, Report& report) {
  const std::string_view kind = subject.workload.kind->name;
  if (kind != "StatefulSet" && kind != "LeaderWorkerSet") return;
  const std::string_view name = subject.workload.metadata.name;
  const bool first = &subject.pods == &subject.workload.pod_sets[0];
  const std::size_t most = kLongestLabel - kHash - AddedBefore(subject.pods.scale);
  if (!first || name.size() <= most || workload::IsPlaceholder(name)) return;
  report.Add(
      {.pointer = "/metadata/name",
       .summary = fmt::format("the name has {} characters, pods of a {} need at most {}",
                              name.size(), kind, most),
       .problem = fmt::format(
           "has {} characters, but the label controller-revision-hash of the pods is made of "
           "it and up to {} more, and a label value has at most {}: the pods are not created.",
           name.size(), kLongestLabel - most, kLongestLabel),
       .change = fmt::format("use a name of at most {} characters", most),
       .decision = "which name it is to have"});
}

}  // namespace tpu412

const Rule kTPU412 = {
    .id = "TPU412",
    .name = "revision-label",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu412::Check,
    .is_about_names = true,
};

}  // namespace tpu_admission::rules
