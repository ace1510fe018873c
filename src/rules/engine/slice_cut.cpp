#include "rules/engine/slice_cut.h"

#include <fmt/core.h>

#include <algorithm>

#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {

bool SliceCut::FitsParent() const {
  const auto& dynamic = generation.dynamic_slicing;
  return !parent || parent->Contains(slice) || (dynamic && *parent == dynamic->block);
}

std::optional<tpu::Topology> NamedSlice(const workload::PodSet& pods) {
  const std::optional<std::string_view> text = pods.SliceTopology();
  return text ? tpu::Topology::Parse(*text) : std::nullopt;
}

std::optional<SliceCut> CutOf(const Subject& subject) {
  const std::optional<tpu::Topology> slice = NamedSlice(subject.pods);
  const Shape& shape = subject.shape;
  if (!slice || shape.generation == nullptr) return std::nullopt;
  SliceCut cut{subject, *shape.generation, *slice, shape.topology};
  if (cut.parent && cut.parent->rank() != shape.generation->dimensions) cut.parent.reset();
  return cut;
}

namespace {

std::vector<tpu::Placement> PlacementsOf(const SliceCut& cut) {
  const auto machines = cut.subject.shape.machines();
  std::vector<tpu::Placement> parts;
  for (const tpu::Placement& placement : cut.generation.placements) {
    const bool made =
        std::find(machines.begin(), machines.end(), placement.machine) != machines.end();
    const bool fits = !cut.parent || cut.parent->Contains(placement.topology);
    if (made && fits) parts.push_back(placement);
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.topology.chips() < b.topology.chips();
  });
  return parts;
}

constexpr std::string_view kEndOfLevel = "-id";

// The level of this slice, if Kueue is told it.
std::optional<std::string_view> LevelOf(const SliceCut& cut) {
  const auto level = cut.subject.pods.pod.metadata.annotations.Find(workload::kKueueRequired);
  return level && TopologyOfLevel(*level) == cut.slice ? level : std::nullopt;
}

// Of the levels that GKE's device plugin makes labels of; empty where that is not known. The same
// GetSubsliceLabels, isSliceTemplateGen.
std::string_view PrefixOfLevels(const tpu::Generation* generation) {
  if (generation == nullptr || !generation->documented) return {};
  return generation->dynamic_slicing ? workload::kGkeTpuPartitionPrefix
                                     : workload::kGkeTpuSlicePrefix;
}

// The blocks of the generation make it, several of them or in a shape of their own. A node has
// labels of its parts and of its block: ai-on-gke/tpu-device-plugin pkg/tpu/util/util.go,
// GetSubsliceLabels, and GetPartitionIdLabel of xpk's slice controller, slice/internal/core.
bool IsOfBlocks(const tpu::Generation& generation, const tpu::Topology& topology) {
  if (!generation.dynamic_slicing) return false;
  const std::vector<tpu::Topology>& parts = generation.dynamic_slicing->sub_slices;
  return topology != generation.dynamic_slicing->block &&
         std::find(parts.begin(), parts.end(), topology) == parts.end();
}

}  // namespace

std::string PartsOf(const SliceCut& cut) {
  const std::vector<tpu::Placement> parts = PlacementsOf(cut);
  const std::vector<std::string> filled = FilledBy(cut.subject, parts);
  if (!filled.empty()) return JoinOr(filled);
  std::vector<std::string> names;
  for (const tpu::Placement& part : parts) {
    const std::string name = part.topology.Text();
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return JoinOr(names);
}

std::optional<tpu::Topology> TopologyOfLevel(std::string_view label) {
  if (!label.starts_with(workload::kGkeTpuPrefix) || !label.ends_with(kEndOfLevel)) {
    return std::nullopt;
  }
  label.remove_suffix(kEndOfLevel.size());
  return tpu::Topology::Parse(label.substr(label.rfind('-') + 1));
}

std::string LevelWith(const tpu::Generation* generation, std::string_view level,
                      const std::string& topology) {
  level.remove_suffix(kEndOfLevel.size());
  const std::string_view known = PrefixOfLevels(generation);
  const std::string_view prefix = known.empty() ? level.substr(0, level.rfind('-') + 1) : known;
  return std::string(prefix).append(topology).append(kEndOfLevel);
}

std::optional<std::int64_t> SliceSize(std::string_view text) {
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  return plus && text.starts_with('-') ? std::nullopt : WholeNumber(text);
}

std::optional<std::int64_t> KueuePods(const workload::Scale& scale) {
  using workload::Counting;
  const bool plain = scale.counting == Counting::kJob || scale.counting == Counting::kPerSlice;
  if (!plain || !scale.tpu_pods || !scale.slices.value) return std::nullopt;
  const std::int64_t pods = *scale.tpu_pods;
  constexpr std::int64_t kMost = 1'000'000;
  if (pods < 1 || *scale.slices.value < 1 || pods > kMost || *scale.slices.value > kMost) {
    return std::nullopt;
  }
  return pods * *scale.slices.value;
}

std::int64_t KueueChips(const Subject& subject, std::optional<std::int64_t> pods) {
  constexpr std::int64_t kMostChips = 1'000;  // products never overflow
  constexpr std::int64_t kMostPods = 1'000'000'000'000;
  const std::int64_t chips = std::min(subject.pods.chips_per_pod, kMostChips);
  const bool is_possible = subject.shape.machines().empty() || IsPossible(subject, chips);
  return is_possible ? std::min(pods.value_or(0), kMostPods) * chips : 0;
}

bool MayLieIn(const Subject& subject, const tpu::Topology& level) {
  const Shape& shape = subject.shape;
  if (shape.placements.empty() || shape.topology->rank() != level.rank()) return true;
  const auto fits = [&](const tpu::Topology& part) {
    return SliceCut{subject, *shape.generation, part, shape.topology}.FitsParent();
  };
  const std::optional<tpu::Topology> slice = NamedSlice(subject.pods);
  return fits(level) || (slice && !fits(*slice));
}

bool Offers(const tpu::Generation* generation, const tpu::Topology& level) {
  if (generation == nullptr || generation->Has(level)) return true;
  const auto& dynamic = generation->dynamic_slicing;
  return dynamic && std::find(dynamic->sub_slices.begin(), dynamic->sub_slices.end(), level) !=
                        dynamic->sub_slices.end();
}

std::string_view Short(std::string_view key) { return key.substr(key.find('/') + 1); }

bool HasLevel(const tpu::Generation* generation, std::string_view level) {
  const std::optional<tpu::Topology> topology = TopologyOfLevel(level);
  if (generation == nullptr || !topology) return true;
  return Offers(generation, *topology) && level.starts_with(PrefixOfLevels(generation)) &&
         !IsOfBlocks(*generation, *topology);
}

workload::Edits NamingLevel(const Subject& subject, std::string_view key, std::string_view level,
                            const tpu::Topology& slice) {
  const tpu::Generation* const generation = subject.shape.generation;
  const std::string named = LevelWith(generation, level, slice.Text());
  if (HasLevel(generation, named)) {
    return {{subject.AtAnnotation(key), named, Short(key)}};
  }
  // As xpk's slice controller writes them: slice/internal/webhooks/job_webhook_test.go.
  const std::int64_t chips = subject.pods.chips_per_pod;
  const auto& dynamic = generation->dynamic_slicing;
  if (!dynamic || chips <= 0 || dynamic->block.chips() % chips != 0) return {};
  workload::Edits edits;
  if (key != workload::kKueueSliceRequired) {
    edits.push_back(
        {subject.AtAnnotation(key), std::string(workload::kGceTopologyBlock), Short(key)});
  }
  edits.push_back({subject.AtAnnotation(workload::kKueueSliceRequired),
                   LevelWith(generation, level, dynamic->block.Text()),
                   Short(workload::kKueueSliceRequired)});
  edits.push_back({subject.AtAnnotation(workload::kKueueSliceSize),
                   std::to_string(dynamic->block.chips() / chips),
                   Short(workload::kKueueSliceSize)});
  return edits;
}

workload::Edits LevelsWithin(const Subject& subject, const tpu::Topology& topology) {
  workload::Edits edits;
  if (subject.pods.SliceTopology()) return edits;  // of which the levels are
  const std::int64_t asked = KueueChips(subject, KueuePods(subject.pods.scale));
  for (const std::string_view key :
       {workload::kKueueRequired, workload::kKueuePreferred, workload::kKueueSliceRequired}) {
    const auto level = subject.pods.pod.metadata.annotations.Find(key);
    const auto part = level ? TopologyOfLevel(*level) : std::nullopt;
    if (!part || part->rank() != topology.rank()) continue;
    const SliceCut cut{subject, *subject.shape.generation, *part, topology};
    if (cut.FitsParent() && HasLevel(&cut.generation, *level)) continue;
    const std::string same = LevelWith(&cut.generation, *level, part->Text());
    const bool is_prefix = cut.FitsParent() && HasLevel(&cut.generation, same);
    const tpu::Topology& target = is_prefix ? *part : topology;
    if (key == workload::kKueueRequired && asked > target.chips()) continue;
    for (k8s::JsonEdit& edit : NamingLevel(subject, key, *level, target)) {
      const auto is_same = [&](const auto& other) { return other.pointer == edit.pointer; };
      if (std::none_of(edits.begin(), edits.end(), is_same)) edits.push_back(std::move(edit));
    }
  }
  return edits;
}

std::string LevelToo(const SliceCut& cut) {
  return LevelOf(cut) ? ", and podset-required-topology accordingly" : "";
}

std::optional<tpu::Topology> AgreedSlice(const SliceCut& cut) {
  const k8s::StringMap& annotations = cut.subject.pods.pod.metadata.annotations;
  const auto level = annotations.Find(workload::kKueueSliceRequired);
  const auto text = annotations.Find(workload::kKueueSliceSize);
  const auto part = level ? TopologyOfLevel(*level) : std::nullopt;
  const auto size = text ? SliceSize(*text) : std::nullopt;
  if (!part || !size || !Offers(&cut.generation, *part)) return std::nullopt;
  const auto& dynamic = cut.generation.dynamic_slicing;
  // Several blocks are placed block by block.
  if (dynamic && *part == dynamic->block && cut.slice.chips() > part->chips()) return std::nullopt;
  const bool fits = SliceCut{cut.subject, cut.generation, *part, cut.parent}.FitsParent();
  const bool fills = KueueChips(cut.subject, size) == part->chips();
  return fits && fills ? part : std::nullopt;
}

workload::Edits CutAnew(const SliceCut& cut) {
  std::vector<std::string> filled;
  if (const auto agreed = AgreedSlice(cut)) {
    filled = {agreed->Text()};
  } else {
    filled = FilledBy(cut.subject, PlacementsOf(cut));
  }
  if (filled.empty()) return {};
  workload::Edits edits = {{cut.subject.AtAnnotation(workload::kGkeSliceTopology), filled.front()}};
  if (const auto level = LevelOf(cut)) {
    const workload::Edits levels = NamingLevel(cut.subject, workload::kKueueRequired, *level,
                                               *tpu::Topology::Parse(filled.front()));
    edits.insert(edits.end(), levels.begin(), levels.end());
  }
  return edits;
}

std::string SetSliceTopology(const std::string& value) {
  return fmt::format("set {} to {}", workload::kGkeSliceTopology, value);
}

}  // namespace tpu_admission::rules
