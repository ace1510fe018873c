#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace tpu205 {

// The whole slice, and for one made of blocks also a block: Kueue may place it block by block. The
// level that Kueue is told may be wider than the slice.
std::vector<tpu::Topology> Wholes(const Subject& subject) {
  const k8s::StringMap& annotations = subject.pods.pod.metadata.annotations;
  const auto text = subject.pods.SliceTopology();
  if (text && workload::IsPlaceholder(*text)) return {};
  const std::optional<tpu::Topology> slice = NamedSlice(subject.pods);
  if (const auto label = annotations.Find(workload::kKueueSliceRequired)) {
    if (const auto part = TopologyOfLevel(*label)) {
      return slice ? std::vector{*part, *slice} : std::vector{*part};
    }
  }
  if (!slice) return {};
  std::vector<tpu::Topology> wholes = {*slice};
  const tpu::Generation* generation = subject.shape.generation;
  const bool of_blocks = generation != nullptr && generation->dynamic_slicing &&
                         slice->chips() > generation->dynamic_slicing->block.chips();
  if (of_blocks) wholes.push_back(generation->dynamic_slicing->block);
  return wholes;
}

void Check(const Subject& subject, Report& report) {
  const auto text = subject.pods.pod.metadata.annotations.Find(workload::kKueueSliceSize);
  const std::int64_t chips = subject.pods.chips_per_pod;
  const std::optional<std::int64_t> size = text ? SliceSize(*text) : std::nullopt;
  constexpr std::int64_t kMost = 1'000'000;  // products never overflow
  if (!size || *size < 1 || *size > kMost || chips <= 0) return;
  const std::vector<tpu::Topology> wholes = Wholes(subject);
  const auto is_filled = [&](const tpu::Topology& t) { return t.chips() == *size * chips; };
  if (wholes.empty() || std::any_of(wholes.begin(), wholes.end(), is_filled)) return;
  const tpu::Topology& slice = wholes.front();
  const std::string found = fmt::format("{} x {}", *size, chips);
  const std::optional<std::int64_t> pods = KueuePods(subject.pods.scale);
  const bool divides =
      slice.chips() % chips == 0 && (!pods || *pods % (slice.chips() / chips) == 0);
  report.Add(
      {.pointer = subject.AtAnnotation(workload::kKueueSliceSize),
       .summary = fmt::format("podset-slice-size {} chips are not the {} of {} slice", found,
                              slice.chips(), WithArticle(slice.Text())),
       .problem = fmt::format(
           "is {}, and each pod asks for {}: {} together, but {} slice has {}. Kueue "
           "gives each group of pods a slice of its own, and a slice runs only if its "
           "pods use all of it (full utilization).",
           *size, Counted(chips, "chip"), *size * chips, WithArticle(slice.Text()), slice.chips()),
       .edits = divides ? workload::Edits{{subject.AtAnnotation(workload::kKueueSliceSize),
                                           std::to_string(slice.chips() / chips)}}
                        : workload::Edits(),
       .change = divides ? ""
                         : fmt::format("let {} times the chips of a pod be {}",
                                       workload::kKueueSliceSize, slice.chips()),
       .decision = "how many chips a pod is to have"});
}

}  // namespace tpu205

const Rule kTPU205 = {
    .id = "TPU205",
    .name = "slice-size",
    .mode = Mode::kDeny,
    .check = tpu205::Check,
};

}  // namespace tpu_admission::rules
