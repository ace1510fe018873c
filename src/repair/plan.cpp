#include "repair/plan.h"

#include <algorithm>

#include "repair/faults.h"
#include "repair/phrases.h"

namespace tpu_admission::repair {
namespace {

struct Before {
  std::optional<tpu::Topology> topology;
  bool is_said = false;  // see Written
};

// The topology that the set had, or none that can be read; nullopt where it may have any.
std::optional<Before> TopologyBefore(const tpu::Catalog& catalog,
                                     const workload::Workload& workload, std::string_view pointer) {
  const workload::PodSet* const pods = SetAt(workload, pointer);
  if (pods == nullptr) return std::nullopt;
  if (const auto written = Read(catalog, *pods)) {
    return Before{written->topology, written->topology_is_said};
  }
  if (pods->nodes.choices.size() != 1) return std::nullopt;
  const workload::Selected& topology = pods->nodes.choices.front()[workload::NodeLabel::kTopology];
  if (!topology.fixed()) return std::nullopt;
  return Before{tpu::Topology::Parse(topology.value)};
}

}  // namespace

void KeepChipsFirst(const Written& written, std::size_t most, std::vector<Found>& found) {
  const auto keeps = [&](const Found& each) {
    return each.target->total_chips() == written.total_chips;
  };
  const auto others = std::stable_partition(found.begin(), found.end(), keeps);
  if (found.size() <= most) return;
  found.erase(most > 1 && found.end() - others == 1 ? found.end() - 2 : found.end() - 1);
}

void PutWhatRunsFirst(std::vector<Found>& found) {
  const auto brings_a_warning = [](const Found& each) {
    return std::any_of(each.beside.begin(), each.beside.end(),
                       [](const Beside& beside) { return !beside.summary.empty(); });
  };
  if (found.size() < 2 || found[1].edits.size() > found[0].edits.size()) return;
  if (brings_a_warning(found[0]) && !brings_a_warning(found[1])) std::swap(found[0], found[1]);
}

std::optional<Candidate> ShapeIn(const tpu::Catalog& catalog, const Proof& proof,
                                 const Plan& plan) {
  const workload::PodSet* now = SetAt(proof.workload, plan.written.pods->pointer);
  if (now == nullptr || now->scale.counted_by != nullptr) return std::nullopt;
  const auto written = ReadAll(catalog, proof.workload, *now);
  std::optional<Candidate> shape = written ? AsCandidate(*written) : std::nullopt;
  if (!shape || shape->total_chips() != written->total_chips ||
      shape->LeavesOneWorkerOf(plan.written)) {
    return std::nullopt;
  }
  // What others fill of a topology that nobody offers, nobody knows.
  if (plan.written.filled_by_others != written->filled_by_others && plan.written.is_in_catalog()) {
    return std::nullopt;
  }
  // Several slices in one Job are left as they are, and not made.
  const bool are_several = shape->placement.multi_host() && shape->slices > written->slices;
  if (are_several && !written->HasShapeOf(plan.written)) return std::nullopt;
  return shape;
}

Repair MakeRepair(const workload::Workload& workload, const std::vector<Plan>& plans,
                  const std::vector<const Found*>& chosen, std::int64_t other_chips) {
  Repair repair;
  repair.chips_before = repair.chips_after = other_chips;
  repair.edits = chosen.back()->edits;
  repair.beside = chosen.back()->beside;
  repair.leaves_more = chosen.back()->leaves_more;
  bool has_affinity = false;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan& plan = plans[i];
    const Candidate& target = *chosen[i]->target;
    repair.what += (i == 0 ? "" : "; ") +
                   NameBefore(workload, *plan.written.pods, plans.size() == 1) +
                   What(plan.written, target);
    const std::int64_t copies = plan.written.pods->scale.copies_or_one();
    repair.chips_before += plan.written.total_chips * copies;
    repair.chips_after += target.total_chips() * copies;
    has_affinity = has_affinity || !plan.written.pods->pod.spec.required_affinity.empty();
  }
  // What is changed for one set may stand in another.
  repair.changes = ChangesBySet(workload, repair.edits, has_affinity);
  return repair;
}

Repair RepairBy(const tpu::Catalog& catalog, const Proof& written, const workload::Edits& edits,
                const Proof& mended) {
  Repair repair;
  repair.beside = mended.beside;
  repair.leaves_more = mended.leaves_more;
  repair.edits = edits;
  const auto& sets = mended.workload.pod_sets;
  const bool has_affinity = std::any_of(sets.begin(), sets.end(), [](const auto& pods) {
    return !pods.pod.spec.required_affinity.empty();
  });
  repair.changes = ChangesBySet(mended.workload, edits, has_affinity && edits.size() > 1);
  const auto is_told = [](const auto& pods) { return pods.scale.counted_by == nullptr; };
  const bool are_alone = std::count_if(sets.begin(), sets.end(), is_told) < 2;
  for (const workload::PodSet& pods : sets) {
    if (pods.scale.counted_by != nullptr) continue;
    std::optional<Written> now = ReadAll(catalog, mended.workload, pods);
    if (!now) continue;
    repair.chips_after += now->total_chips * pods.scale.copies_or_one();
    if (!IsFaulty(written.faults, *now)) continue;
    const std::optional<Candidate> shape = AsCandidate(*now);
    const bool is_all = shape && !shape->asked && shape->slices == now->slices &&
                        shape->total_chips() == now->total_chips;
    if (const auto before = TopologyBefore(catalog, written.workload, pods.pointer)) {
      now->topology = before->topology;
      now->topology_is_said = before->is_said;
    }
    repair.what += (repair.what.empty() ? "" : "; ") +
                   NameBefore(mended.workload, pods, are_alone) +
                   (is_all ? What(*now, *shape) : std::string("all else as it is"));
  }
  if (repair.what.empty()) repair.what = "all else as it is";
  repair.chips_before = repair.chips_after;
  return repair;
}

Repair Both(const tpu::Catalog& catalog, const Proof& written, const Repair& first,
            const Repair& more, const Proof& mended) {
  workload::Edits edits = first.edits;
  for (const k8s::JsonEdit& edit : more.edits) {
    std::erase_if(edits, [&](const auto& earlier) { return earlier.pointer == edit.pointer; });
    edits.push_back(edit);
  }
  Repair repair = RepairBy(catalog, written, edits, mended);
  repair.beside = more.beside;
  // What the first brought was there when the other was looked for.
  for (Beside& beside : repair.beside) {
    for (const Beside& brought : first.beside) {
      if (brought.rule == beside.rule && beside.summary.empty()) beside.summary = brought.summary;
    }
  }
  repair.chips_before = first.chips_before;
  repair.chips_after = first.chips_after + more.chips_after - more.chips_before;
  return repair;
}

bool Includes(const Repair& repair, const Repair& other) {
  return Includes(std::span(repair.edits), std::span(other.edits));
}

}  // namespace tpu_admission::repair
