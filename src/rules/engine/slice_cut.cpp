#include "rules/engine/slice_cut.h"

#include <fmt/core.h>

#include <algorithm>

#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

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

std::string PartsOf(const SliceCut& cut) {
  const auto machines = cut.subject.shape.machines();
  std::vector<std::string> names;
  for (const tpu::Placement& placement : cut.generation.placements) {
    const std::string name = placement.topology.Text();
    const bool made =
        std::find(machines.begin(), machines.end(), placement.machine) != machines.end();
    const bool fits = !cut.parent || cut.parent->Contains(placement.topology);
    const bool fresh = std::find(names.begin(), names.end(), name) == names.end();
    if (made && fits && fresh) names.push_back(name);
  }
  return JoinOr(names);
}

std::string SetSliceTopology(const std::string& value) {
  return fmt::format("set the annotation {} to {}", workload::kGkeSliceTopology, value);
}

}  // namespace tpu_admission::rules
