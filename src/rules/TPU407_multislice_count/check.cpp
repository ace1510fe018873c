#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/kueue_keys.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace tpu407 {

using workload::Counting;

// Enough for any object that there is, and little enough to be summed.
constexpr std::int64_t kMost = 1'000'000'000;

// The slices that the pods of a set fill.
struct Made {
  std::int64_t each = 0;  // replica
  std::int64_t all = 0;
};
// Nothing if they fill no whole ones, or if nobody knows how many there are.
std::optional<Made> Filled(const workload::Scale& scale, std::int64_t pods_of_slice) {
  const std::int64_t pods = scale.tpu_pods.value_or(0);
  const std::int64_t replicas = scale.slices.value.value_or(0);
  if (pods <= 0 || replicas <= 0 || pods_of_slice <= 0 || scale.slices_may_change) {
    return std::nullopt;
  }
  const std::int64_t more = scale.more_in_first();
  if (pods % pods_of_slice != 0 || more % pods_of_slice != 0) return std::nullopt;
  const std::int64_t each = pods / pods_of_slice * scale.sub_groups() + more / pods_of_slice;
  if (each > kMost / replicas) return std::nullopt;
  return Made{each, each * replicas};
}

std::optional<Made> SlicesOf(const Subject& subject) {
  const std::optional<Slice> slice = subject.SliceOfPods();
  return slice ? Filled(subject.pods.scale, slice->pods) : std::nullopt;
}

// Those of another set, which is not held against the catalog: by its chips alone.
std::optional<Made> SlicesOf(const workload::PodSet& pods) {
  if (pods.nodes.choices.size() != 1 || pods.chips_per_pod <= 0) return std::nullopt;
  if (pods.pod.metadata.annotations.Has(workload::kKueueSliceSize)) return std::nullopt;
  const std::string_view selected = pods.nodes.choices[0][workload::NodeLabel::kTopology].value;
  const auto topology = tpu::Topology::Parse(pods.SliceTopology().value_or(selected));
  if (!topology || topology->chips() % pods.chips_per_pod != 0) return std::nullopt;
  return Filled(pods.scale, topology->chips() / pods.chips_per_pod);
}

bool IsCounted(const workload::PodSet& pods) {
  return pods.use == workload::TpuUse::kChips && pods.scale.is_counted();
}

// Replicated jobs or worker groups may work together: the slices of all sets with TPUs, and of
// those of the same group of replicated jobs.
struct Sums {
  std::int64_t all = 0;
  std::int64_t group = 0;
  bool another_is_apart = false;  // says that its slices work without those of other sets
};

bool IsToldOf(const workload::PodSet& pods, std::int64_t slices) {
  const auto& containers = pods.pod.spec.containers;
  return std::any_of(containers.begin(), containers.end(), [&](const auto& container) {
    const auto text = container.EnvValue(workload::kMegascaleNumSlices);
    return text && WholeNumber(*text) == slices;
  });
}

std::optional<Sums> SumsOfSets(const Subject& subject, std::int64_t own) {
  Sums sums;
  for (const workload::PodSet& pods : subject.workload.pod_sets) {
    if (!IsCounted(pods)) continue;
    if (workload::IsPlaceholder(pods.scale.group)) return std::nullopt;
    if (pods.scale.has_no_slices() && !pods.scale.slices_may_change) continue;
    const bool is_own = &pods == &subject.pods;
    const auto made = is_own ? std::optional(Made{.all = own}) : SlicesOf(pods);
    if (!made) return std::nullopt;
    sums.all += made->all;
    if (pods.scale.group != subject.pods.scale.group) continue;
    sums.group += made->all;
    if (!is_own && IsToldOf(pods, made->all)) sums.another_is_apart = true;
  }
  return sums;
}

// Pods of one Job, each on a host that is a slice: 1 tells each what it takes for granted anyhow.
// https://github.com/jax-ml/jax/blob/main/jax/_src/clusters/cloud_tpu_cluster.py
bool EachIsAPodOfOneJob(const Subject& subject) {
  const std::optional<Slice> slice = subject.SliceOfPods();
  return subject.pods.scale.slices.value == 1 && slice && !slice->multi_host();
}

// Replicas of these kinds usually work each for itself. Of a JobSet they belong together, but
// beside a set of another kind of work each may be meant to be alone.
bool MayRunAlone(const Subject& subject, const Made& made, const Sums& sums, std::int64_t number) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting == Counting::kJob) {
    return number == 1 && (sums.all != made.all || EachIsAPodOfOneJob(subject));
  }
  return (number == 1 || number == made.each) &&
         (scale.counting == Counting::kGroup || scale.counting == Counting::kPerSlice);
}

// An object for each slice: its own number is written into it, as nobody does where all slices are
// made from one template.
bool IsOneOfSeveral(const k8s::Container& container, const Made& own, std::int64_t number) {
  const auto text = container.EnvValue(workload::kMegascaleSliceId);
  if (own.all != 1 || !text) return false;
  const std::optional<std::int64_t> id = WholeNumber(*text);
  return workload::IsPlaceholder(*text) || (id && *id >= 0 && *id < number);
}

void CheckContainer(const Subject& subject, const k8s::Container& container, const Made& own,
                    const Sums& sums, Report& report) {
  const std::string_view variable = workload::kMegascaleNumSlices;
  const std::optional<std::string_view> text = container.EnvValue(variable);
  const std::optional<std::int64_t> number = text ? WholeNumber(*text) : std::nullopt;
  if (!number || *number == own.all || *number == sums.all || *number == sums.group) return;
  if (MayRunAlone(subject, own, sums, *number)) return;
  if (IsOneOfSeveral(container, own, *number)) return;
  const std::string found = std::to_string(*number);
  const std::string made = fmt::format(
      "{} makes {}",
      sums.group == sums.all ? "the object" : "its group " + Quoted(subject.pods.scale.group),
      Counted(sums.group, "slice"));
  const std::string pointer = subject.AtEnv(container, variable);
  Finding finding = {
      .pointer = pointer,
      .summary = fmt::format("{} is {}, but {}", variable, found, made),
      .problem = fmt::format("is {}, but {}: a slice waits until as many have joined as the "
                             "variable says, and those beyond it are turned away.",
                             found, made)};
  if (sums.another_is_apart) {
    finding.change = fmt::format("set {} to the number of slices that work together", variable);
    finding.decision = "which slices work together";
  } else {
    finding.edits = {{pointer, std::to_string(sums.group), variable}};
    finding.change = ", or change the number of slices";
  }
  report.Add(container, std::move(finding));
}

void Check(const Subject& subject, Report& report) {
  const auto& containers = subject.pods.pod.spec.containers;
  const bool is_told = std::any_of(containers.begin(), containers.end(), [](const auto& container) {
    return container.EnvValue(workload::kMegascaleNumSlices).has_value();
  });
  if (!is_told || !IsCounted(subject.pods)) return;
  const std::optional<Made> own = SlicesOf(subject);
  const std::optional<Sums> sums = own ? SumsOfSets(subject, own->all) : std::nullopt;
  if (!sums) return;
  for (const k8s::Container& container : containers) {
    CheckContainer(subject, container, *own, *sums, report);
  }
}

}  // namespace tpu407

const Rule kTPU407 = {
    .id = "TPU407",
    .name = "multislice-count",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu407::Check,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
