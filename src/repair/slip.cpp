#include "repair/slip.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "repair/faults.h"
#include "repair/written.h"

namespace tpu_admission::repair {
namespace {

using workload::NodeLabel;
using workload::PodSet;

constexpr std::size_t kMost = 3;       // each is judged
constexpr std::size_t kMostSets = 16;  // which are held against each other

// The one topology that it selects; nullptr if that cannot be said.
const workload::Selected* TopologyOf(const PodSet& pods) {
  if (pods.use != workload::TpuUse::kChips || pods.nodes.choices.size() != 1) return nullptr;
  const workload::NodeChoice& choice = pods.nodes.choices.front();
  const bool is_fixed =
      choice[NodeLabel::kTopology].fixed() && choice[NodeLabel::kAccelerator].fixed();
  return is_fixed && !pods.SliceTopology() ? &choice[NodeLabel::kTopology] : nullptr;
}

const tpu::Generation* GenerationOf(const tpu::Catalog& catalog, const PodSet& pods) {
  return catalog.FindByLabel(pods.nodes.choices.front()[NodeLabel::kAccelerator].value);
}

bool AreFaulty(const Proof& written, const PodSet& pods) {
  return std::any_of(written.faults.begin(), written.faults.end(),
                     [&](const Fault& fault) { return fault.pods == pods.pointer; });
}

// Of a leader whose accelerator nobody has what selects the nodes of its workers.
std::vector<OneTopology> LabelsOfWorkers(const tpu::Catalog& catalog,
                                         std::span<const PodSet> sets) {
  std::vector<OneTopology> all;
  const PodSet* const leader = workload::LeaderOf(sets);
  if (leader == nullptr || leader->nodes.choices.size() != 1) return all;
  if (GenerationOf(catalog, *leader) != nullptr) return all;  // a person's
  for (const PodSet& workers : sets) {
    if (!workers.scale.leader_has_others || workers.nodes.choices.size() != 1) continue;
    OneTopology one{leader->pointer, {}, true};
    for (const NodeLabel label : {NodeLabel::kAccelerator, NodeLabel::kTopology,
                                  NodeLabel::kAcceleratorCount, NodeLabel::kMachineType}) {
      const workload::Selected& own = leader->nodes.choices.front()[label];
      const workload::Selected& its = workers.nodes.choices.front()[label];
      if (!its.fixed() || (own.fixed() && own.value == its.value)) continue;
      workload::SetLabel(*leader, label, own, std::string(its.value), one.edits);
    }
    if (!one.edits.empty()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::vector<OneTopology> TopologiesOfOthers(const tpu::Catalog& catalog, const Proof& written) {
  const auto& sets = written.workload.pod_sets;
  if (sets.size() < 2 || sets.size() > kMostSets) return {};
  std::vector<OneTopology> offered = LabelsOfWorkers(catalog, sets);
  std::vector<OneTopology> all;
  for (const PodSet& pods : sets) {
    const workload::Selected* const own = TopologyOf(pods);
    if (own == nullptr || !AreFaulty(written, pods)) continue;
    const tpu::Generation* const generation = GenerationOf(catalog, pods);
    if (generation == nullptr) continue;
    for (const PodSet& other : sets) {
      const workload::Selected* const its = TopologyOf(other);
      if (its == nullptr || its->value == own->value) continue;
      if (GenerationOf(catalog, other) != generation || !generation->Has(its->value)) {
        continue;
      }
      OneTopology one{pods.pointer, {}, false};
      workload::SetLabel(pods, NodeLabel::kTopology, *own, std::string(its->value), one.edits);
      auto& of = generation->Has(own->value) ? offered : all;
      const bool is_known = std::any_of(
          of.begin(), of.end(), [&](const OneTopology& known) { return known.edits == one.edits; });
      if (!is_known) of.push_back(std::move(one));
    }
  }
  std::move(offered.begin(), offered.end(), std::back_inserter(all));
  if (all.size() > kMost) all.resize(kMost);
  return all;
}

bool FillsWithOthers(const tpu::Catalog& catalog, const workload::Workload& workload,
                     const PodSet& pods) {
  if (pods.scale.counted_by != nullptr) return true;
  const std::optional<Written> written = ReadAll(catalog, workload, pods);
  return written && (written->filled_by_others || !written->followers.empty());
}

}  // namespace tpu_admission::repair
