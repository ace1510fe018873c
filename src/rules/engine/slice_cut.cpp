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

std::optional<SliceCut> CutOf(const Subject& subject) {
  const std::optional<std::string_view> text = subject.pods.SliceTopology();
  if (!text || workload::IsPlaceholder(*text)) return std::nullopt;
  const std::optional<tpu::Topology> slice = tpu::Topology::Parse(*text);
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

// The key of the Kueue annotation that names the level of this slice; empty if none does.
std::string_view LevelOf(const SliceCut& cut) {
  const k8s::StringMap& annotations = cut.subject.pods.pod.metadata.annotations;
  const auto level = annotations.Find(workload::kKueueRequired);
  return level && TopologyOfLevel(*level) == cut.slice ? workload::kKueueRequired
                                                       : std::string_view();
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
  constexpr std::string_view kEnd = "-id";
  if (!label.starts_with(workload::kGkeTpuPrefix) || !label.ends_with(kEnd)) return std::nullopt;
  label.remove_suffix(kEnd.size());
  return tpu::Topology::Parse(label.substr(label.rfind('-') + 1));
}

std::string LevelToo(const SliceCut& cut) {
  return LevelOf(cut).empty() ? "" : ", and podset-required-topology accordingly";
}

workload::Edits CutAnew(const SliceCut& cut) {
  const std::vector<std::string> filled = FilledBy(cut.subject, PlacementsOf(cut));
  if (filled.empty()) return {};
  workload::Edits edits = {{cut.subject.AtAnnotation(workload::kGkeSliceTopology), filled.front()}};
  const std::string_view key = LevelOf(cut);
  if (key.empty()) return edits;
  std::string level(*cut.subject.pods.pod.metadata.annotations.Find(key));
  level.replace(level.rfind(cut.name()), cut.name().size(), filled.front());
  edits.push_back({cut.subject.AtAnnotation(key), std::move(level), "podset-required-topology"});
  return edits;
}

std::string SetSliceTopology(const std::string& value) {
  return fmt::format("set {} to {}", workload::kGkeSliceTopology, value);
}

}  // namespace tpu_admission::rules
