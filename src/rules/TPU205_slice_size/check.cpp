#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace tpu205 {

// What an annotation and the level that Kueue is told name: the slice, and where it is placed.
struct Named {
  std::optional<tpu::Topology> slice;
  std::optional<tpu::Topology> level;
};

Named NamedBy(const Subject& subject) {
  const auto text = subject.pods.SliceTopology();
  if (text && workload::IsPlaceholder(*text)) return {};
  const auto label = subject.pods.pod.metadata.annotations.Find(workload::kKueueSliceRequired);
  return {NamedSlice(subject.pods), label ? TopologyOfLevel(*label) : std::nullopt};
}

// Kueue may place a slice of several blocks block by block.
bool IsBlockOf(const Subject& subject, const tpu::Topology& part, const tpu::Topology& slice) {
  const tpu::Generation* generation = subject.shape.generation;
  return generation != nullptr && generation->dynamic_slicing &&
         part == generation->dynamic_slicing->block && slice.chips() > part.chips();
}

// What the pods of one podset-slice-size are to fill, where they do not; the level may be wider
// than the slice.
std::optional<tpu::Topology> Unfilled(const Subject& subject, const Named& named,
                                      std::int64_t chips) {
  const auto fills = [&](const auto& topology) { return topology && topology->chips() == chips; };
  if (fills(named.slice) || fills(named.level)) return std::nullopt;
  if (!named.slice || !named.level) {
    const tpu::Generation* const generation = subject.shape.generation;
    const bool is_block = named.slice && generation != nullptr && generation->dynamic_slicing &&
                          generation->dynamic_slicing->block.chips() == chips &&
                          named.slice->chips() > chips;
    return is_block ? std::nullopt : named.slice ? named.slice : named.level;
  }
  return named.slice->chips() < named.level->chips() ? named.slice : named.level;
}

// The level and the size say one slice, and the annotation another: the pods that Kueue puts
// together are told of one that they do not fill.
void CheckAgreement(const Subject& subject, const Named& named, std::int64_t size, Report& report) {
  const std::int64_t chips = size * subject.pods.chips_per_pod;
  const tpu::Generation* const generation = subject.shape.generation;
  if (generation == nullptr || !generation->documented || !named.slice || !named.level) return;
  const tpu::Topology& slice = *named.slice;
  if (named.level->chips() != chips || slice.chips() == chips) return;
  if (IsBlockOf(subject, *named.level, slice)) return;
  if (!Offers(generation, slice)) return;  // slice-topology speaks of it
  const std::optional<SliceCut> cut = CutOf(subject);
  const std::string level = named.level->Text();
  Finding finding = {.pointer = subject.AtAnnotation(workload::kGkeSliceTopology),
                     .summary = fmt::format("{} slice is not what Kueue places, which is {}",
                                            WithArticle(slice.Text()), level),
                     .problem = fmt::format(
                         "is {}, but Kueue is told to place {} of {} on {} slice: they are told "
                         "of a slice that they do not fill, and a slice runs only if its pods "
                         "use all of it (full utilization).",
                         slice.Text(), Counted(size, "pod"),
                         Counted(subject.pods.chips_per_pod, "chip"), WithArticle(level)),
                     .decision = "which slice is meant",
                     .milder = Mode::kWarn};
  if (cut && AgreedSlice(*cut)) finding.edits = {{finding.pointer, level}};
  if (finding.edits.empty()) {
    finding.change =
        fmt::format("let {}, {} and {} name one slice", workload::kGkeSliceTopology,
                    Short(workload::kKueueSliceRequired), Short(workload::kKueueSliceSize));
  }
  report.Add(std::move(finding));
}

void Check(const Subject& subject, Report& report) {
  const auto text = subject.pods.pod.metadata.annotations.Find(workload::kKueueSliceSize);
  const std::int64_t chips = subject.pods.chips_per_pod;
  const std::optional<std::int64_t> size = text ? SliceSize(*text) : std::nullopt;
  constexpr std::int64_t kMost = 1'000'000;  // products never overflow
  if (!size || *size < 1 || *size > kMost || chips <= 0) return;
  const Named named = NamedBy(subject);
  CheckAgreement(subject, named, *size, report);
  const std::optional<tpu::Topology> whole = Unfilled(subject, named, *size * chips);
  if (!whole) return;
  const tpu::Topology& slice = *whole;
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
