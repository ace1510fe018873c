#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace {

using workload::Counting;

// The slices that the pods of this set fill; nothing if they fill no whole ones.
std::optional<std::int64_t> SlicesOf(const Subject& subject) {
  const workload::Scale& scale = subject.pods.scale;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || !scale.tpu_pods || !scale.slices.value) return std::nullopt;
  const std::int64_t pods = *scale.tpu_pods;
  if (pods <= 0 || *scale.slices.value <= 0 || pods % slice->pods != 0) return std::nullopt;
  return pods / slice->pods * *scale.slices.value;
}

// The slices that are counted in all sets with TPUs, where there are several: replicated jobs or
// worker groups may work together.
std::optional<std::int64_t> SumOfSets(const Subject& subject) {
  std::int64_t sum = 0;
  int sets = 0;
  for (const workload::PodSet& pods : subject.workload.pod_sets) {
    if (pods.use != workload::TpuUse::kChips) continue;
    sum += pods.scale.slices.value.value_or(0);
    ++sets;
  }
  return sets > 1 ? std::optional(sum) : std::nullopt;
}

// Replicas of these kinds usually work each for itself; only of a JobSet they always belong
// together.
bool MayRunAlone(const workload::Scale& scale, std::int64_t number) {
  return number == 1 &&
         (scale.counting == Counting::kGroup || scale.counting == Counting::kPerSlice);
}

void CheckContainer(const Subject& subject, const k8s::Container& container, Report& report) {
  const std::optional<std::string_view> text = container.EnvValue(workload::kMegascaleNumSlices);
  if (!text) return;
  const std::optional<std::int64_t> number = WholeNumber(*text);
  const std::optional<std::int64_t> slices = SlicesOf(subject);
  if (!number || !slices || *number == *slices) return;
  const workload::Scale& scale = subject.pods.scale;
  const std::optional<std::int64_t> sum = SumOfSets(subject);
  if (MayRunAlone(scale, *number) || *number == sum) return;
  const std::string right = std::to_string(sum.value_or(*slices));
  const std::string made = Count(sum.value_or(*slices), "slice");
  const std::string variable(workload::kMegascaleNumSlices);
  const std::string found = std::to_string(*number);
  const std::string pointer = subject.At(
      container, fmt::format("/env/{}/value", container.EnvIndex(workload::kMegascaleNumSlices)));
  report.Add(
      {.pointer = pointer,
       .container = std::string(container.name),
       .summary = fmt::format("{} is {}, but the object makes {}", variable, found, made),
       .problem = fmt::format("is {}, but the object makes {}: a slice waits until as many have "
                              "joined as the variable says, and those beyond it are turned away.",
                              found, made),
       .edits = {{pointer, right, workload::kMegascaleNumSlices}},
       .change = ", or change the number of slices"});
}

void Check(const Subject& subject, Report& report) {
  if (subject.pods.scale.counting == Counting::kNone ||
      subject.pods.scale.counting == Counting::kElsewhere) {
    return;
  }
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    CheckContainer(subject, container, report);
  }
}

}  // namespace

const Rule kTPU407 = {
    .id = "TPU407",
    .name = "multislice-count",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = Check,
};

}  // namespace tpu_admission::rules
