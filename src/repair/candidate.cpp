#include "repair/candidate.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "repair/bounds.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::repair {
namespace {

using workload::Counting;
using workload::Edits;
using workload::NodeLabel;

void SetLabel(Edits& edits, const Written& written, NodeLabel label, std::string value) {
  workload::SetLabel(*written.pods, label, (*written.choice)[label], std::move(value), edits);
}

// Of the sets that fill slices together: the leaders come first.
const workload::Scale& LastOf(const Written& written) {
  return written.followers.empty() ? written.pods->scale : written.followers.back().pods->scale;
}

// The one of several masters, of which there may be no more; nullptr: there are not several.
const workload::Scale* MastersOf(const Written& written) {
  const auto are_several = [](const workload::Scale& scale) {
    return IsTheOneMaster(scale) && scale.pods.value.value_or(1) > 1;
  };
  if (written.followers.empty()) return nullptr;
  if (are_several(written.pods->scale)) return &written.pods->scale;
  for (const Written& follower : written.followers) {
    if (are_several(follower.pods->scale)) return &follower.pods->scale;
  }
  return nullptr;
}

// The pods of those but the last; nothing if they are not known. Of masters one.
std::optional<std::int64_t> PodsBeforeLast(const Written& written) {
  if (written.followers.empty()) return 0;
  const std::optional<std::int64_t>& all = written.pods->scale.tpu_pods;
  const workload::Scale& last = LastOf(written);
  if (!all || !last.pods.value) return std::nullopt;
  const workload::Scale* const masters = MastersOf(written);
  const std::int64_t others = *all - *last.pods.value;
  return masters == nullptr || masters == &last ? others : others - *masters->pods.value + 1;
}

// `pods`: of all slices together.
void SetPodCount(k8s::JsonView object, const Written& written, std::int64_t pods, Edits& edits) {
  const workload::Scale& scale = written.pods->scale;
  if (written.has_paused_pods) return;
  if (scale.counting == Counting::kTogether) {
    const workload::Scale& last = LastOf(written);
    const std::int64_t of_last = pods - *PodsBeforeLast(written);
    const workload::Scale* const masters = MastersOf(written);
    if (masters != nullptr && masters != &last) {
      edits.push_back({masters->pods.pointer(), 1});
      if (last.pods.value == of_last) return FollowPods(object, *masters, 1, edits);
    }
    edits.push_back({last.pods.pointer(), of_last});
    FollowPods(object, last, of_last, edits);
  } else if (scale.sub_group > 0) {
    edits.push_back({std::string(scale.pointer) + "/subGroupPolicy/subGroupSize", pods});
    edits.push_back({scale.pods.pointer(), pods * written.sub_groups + scale.leaders_without_tpus});
  } else {
    SetPods(scale, pods, edits);
  }
}

void SetCounts(k8s::JsonView object, const Written& written, const Candidate& target,
               Edits& edits) {
  const workload::Scale& scale = written.pods->scale;
  const bool has_slices = !scale.slices.field.empty();
  SetPodCount(object, written, has_slices ? target.pods : target.pods * target.slices, edits);
  if (has_slices && !written.has_paused_slices) {
    SetSlices(scale, target.slices / written.sub_groups, edits);
  }
  if (auto indexed = IndexedOn(written, target)) edits.push_back(*std::move(indexed));
}

void SetSelection(Edits& edits, const Written& written, const Candidate& target) {
  SetLabel(edits, written, NodeLabel::kAccelerator, target.generation->label);
  if (written.is_part) return;  // the rest is the node pool's
  const workload::NodeChoice& choice = *written.choice;
  // Where an annotation names the slice, nodes need no topology, and may carry that of a block.
  const bool is_annotated = written.pods->SliceTopology() && choice[NodeLabel::kTopology].free();
  if (!is_annotated) {
    SetLabel(edits, written, NodeLabel::kTopology, target.placement.topology.Text());
  }
  // Nodes of a larger host have the same labels otherwise; of a smaller one too, where a DaemonSet
  // makes pods that find no room.
  const bool on_each = written.pods->row->on_each_node;
  const std::int64_t host = target.placement.chips_per_host();
  const tpu::PlacementList same = target.generation->PlacementsOf(target.placement.topology);
  const bool ambiguous = std::any_of(same.begin(), same.end(), [&](const tpu::Placement& other) {
    return on_each ? other.chips_per_host() != host : other.chips_per_host() > host;
  });
  if (choice[NodeLabel::kAcceleratorCount].fixed() || ambiguous) {
    SetLabel(edits, written, NodeLabel::kAcceleratorCount, std::to_string(host));
  }
  if (choice[NodeLabel::kMachineType].fixed()) {
    SetLabel(edits, written, NodeLabel::kMachineType, target.placement.machine->name);
  }
}

// What the pods select, and the chips of the container that has them.
void SetPodSpec(Edits& edits, const Written& written, const Candidate& target) {
  SetSelection(edits, written, target);
  if (written.container != nullptr) {
    SetChips(*written.pods, *written.container, target.chips_per_pod, edits);
  }
}

// The nodes are chosen by name, and are as they are.
bool SelectsNodesByName(const workload::PodSet& pods) {
  constexpr std::array kNames = {workload::kGkeNodePool, workload::kHostNameLabel};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    return workload::FindRequired(pods.pod.spec, name).has_value();
  });
}

// What is offered stays where its parts play parts of their own, which nobody but a person divides
// anew, and where somebody has chosen the very nodes.
bool MustKeepTopology(const Written& written) {
  if (written.is_part) return true;
  if (!written.is_in_catalog()) return false;
  return written.pods->scale.sub_group > 0 || SelectsNodesByName(*written.pods);
}

// How often the slices of the object are wanted with this topology.
std::vector<std::int64_t> Slices(const Written& written, std::int64_t chips) {
  std::vector<std::int64_t> slices = {written.slices};
  const workload::Scale& scale = written.pods->scale;
  const bool countable = !written.is_part && !written.has_paused_pods &&
                         !written.has_paused_slices &&
                         (!scale.slices.field.empty() || scale.counting == Counting::kReplicas);
  if (countable && written.total_chips % chips == 0 && written.total_chips / chips > 0) {
    slices.push_back(written.total_chips / chips);
  }
  if (slices.back() == slices.front()) slices.resize(1);
  return slices;
}

std::vector<std::int64_t> ChipsPerPod(const Written& written, const tpu::Placement& placement) {
  const std::vector<std::int64_t> chips = written.generation->ChipsOn(placement.chips_per_host());
  const bool is_split = written.generation->node_can_be_split();
  const auto same = std::find(chips.begin(), chips.end(), written.chips_per_pod);
  if (is_split && same != chips.end()) return {*same, chips.front()};
  return {chips.front()};
}

std::vector<tpu::Placement> Placements(const Written& written) {
  const tpu::Generation& generation = *written.generation;
  std::vector<tpu::Placement> all = generation.placements;
  const auto add = [&](const tpu::Topology& topology) {
    for (const tpu::Placement& placement : generation.PlacementsOf(topology)) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const tpu::Placement& other) {
        return other.topology == placement.topology && other.machine == placement.machine;
      });
      if (!known) all.push_back(placement);
    }
  };
  if (written.topology) add(*written.topology);
  for (const tpu::Topology& shape : generation.CustomShapesOf(written.total_chips)) add(shape);
  if (written.slices > 1) {
    for (const tpu::Topology& shape :
         generation.CustomShapesOf(written.total_chips / written.slices)) {
      add(shape);
    }
  }
  if (generation.custom) {
    for (const tpu::Topology& shape : generation.custom->examples) add(shape);
  }
  return all;
}

// Where containers share a host, nobody but a person divides the chips anew.
bool CanHave(const Written& written, std::int64_t chips) {
  const auto can = [&](const Written& set) {
    return set.container != nullptr || set.chips_per_pod == chips;
  };
  return can(written) && std::all_of(written.followers.begin(), written.followers.end(), can);
}

// Whether each of the sets that fill slices together keeps a pod.
bool CanShare(const Written& written, std::int64_t pods) {
  if (written.pods->scale.counting != Counting::kTogether) return true;
  const std::optional<std::int64_t> others = PodsBeforeLast(written);
  return others && pods > *others;
}

// Without edits and distance.
Candidate Shaped(const Written& written, const tpu::Placement& placement, std::int64_t chips,
                 std::int64_t slices) {
  Candidate candidate;
  candidate.placement = placement;
  candidate.generation = written.generation;
  candidate.chips_per_pod = chips;
  candidate.pods = placement.topology.chips() / chips;
  candidate.slices = slices;
  return candidate;
}

// Of pods that are as many as they are.
Candidate WithSamePods(const Written& written, const tpu::Placement& placement, std::int64_t chips,
                       std::int64_t total) {
  const std::int64_t slice = placement.topology.chips();
  const bool are_whole = total % slice == 0;
  Candidate candidate = Shaped(written, placement, chips, are_whole ? total / slice : 1);
  candidate.keeps_counts = true;
  if (!are_whole) candidate.asked = total;
  return candidate;
}

// The ways to have this many chips a pod on this topology.
std::vector<Candidate> CandidatesOf(const Written& written, const tpu::Placement& placement,
                                    std::int64_t chips) {
  if (written.on_single_hosts && placement.single_host()) {
    const std::int64_t pods = written.pods_per_slice * written.slices;
    return {WithSamePods(written, placement, chips, chips * pods)};
  }
  std::vector<Candidate> all;
  for (const std::int64_t slices : Slices(written, placement.topology.chips())) {
    if (slices % written.sub_groups != 0) continue;
    Candidate candidate = Shaped(written, placement, chips, slices);
    if (CanShare(written, candidate.pods * slices)) all.push_back(std::move(candidate));
  }
  return all;
}

// Whether the machines of the node pool make the part.
bool FitsPool(const Written& written, const tpu::Placement& placement) {
  if (!written.cut_from) return true;
  const tpu::PlacementList pools = written.generation->PlacementsOf(*written.cut_from);
  return std::any_of(pools.begin(), pools.end(),
                     [&](const tpu::Placement& pool) { return pool.machine == placement.machine; });
}

Distance DistanceOf(const Written& written, const Candidate& candidate) {
  const tpu::Placement& placement = candidate.placement;
  const bool moves = written.topology != placement.topology;
  const bool fills = written.fills_hosts && written.generation->node_can_be_split();
  const std::int64_t chips = fills ? placement.chips_per_host() : written.chips_per_pod;
  const std::int64_t off = std::abs(candidate.total_chips() - written.total_chips);
  const auto sides = placement.topology.dimensions();
  return {
      .cuts_slices =
          written.topology && moves && !candidate.keeps_counts && candidate.slices > written.slices,
      .changes_chips = off > 0,
      .is_undocumented = !placement.documented,
      .changes_both = off > 0 && moves,
      .chips_off = off,
      .changes_chips_of_pod = candidate.chips_per_pod != chips,
      .changes_topology = !written.is_alone_in_pools && moves,
      .changes_pods = !candidate.keeps_counts && candidate.pods != written.pods_per_slice,
      .slices_off = candidate.keeps_counts ? 0 : std::abs(candidate.slices - written.slices),
      .edits = candidate.edits.size(),
      .longest_side = *std::max_element(sides.begin(), sides.end()),
  };
}

// Whether the topology or the total was meant nobody knows: where the nearest keeps one of them
// alone, what keeps the other comes next; a number of pods is no wish for so many chips.
void PutTheOtherWishSecond(const Written& written, std::vector<Candidate>& all) {
  const auto keeps_topology = [&](const Candidate& candidate) {
    return candidate.placement.topology == written.topology;
  };
  const auto keeps_total = [&](const Candidate& candidate) {
    if (!written.pods->scale.is_counted()) {
      return candidate.total_chips() == written.chips_per_pod * written.slices;
    }
    return candidate.keeps_counts && candidate.chips_per_pod == written.chips_per_pod;
  };
  if (all.empty()) return;
  const auto next = keeps_topology(all.front())
                        ? std::find_if(all.begin(), all.end(), keeps_total)
                        : std::find_if(all.begin(), all.end(), keeps_topology);
  if (next != all.end() && next > all.begin() + 1) std::rotate(all.begin() + 1, next, next + 1);
}

}  // namespace

bool Candidate::LeavesOneWorkerOf(const Written& written) const {
  return written.pods->scale.counting == Counting::kNone && placement.multi_host() &&
         written.chips_per_pod > chips_per_pod && written.grouped != pods;
}

bool Candidate::OnlyFillsHostsOf(const Written& written) const {
  return written.fills_hosts && written.topology == placement.topology &&
         written.pods_per_slice == pods && written.slices == slices &&
         chips_per_pod == placement.chips_per_host();
}

bool Candidate::Is(const Written& written) const {
  const bool same_pods = !written.pods->scale.is_counted() || written.has_paused_pods ||
                         written.pods_per_slice * written.slices * chips_per_pod == total_chips();
  return written.generation == generation && written.topology == placement.topology &&
         written.chips_per_pod == chips_per_pod && same_pods;
}

bool IsSo(k8s::JsonView object, const k8s::JsonEdit& edit) {
  const k8s::JsonView now = k8s::At(object, edit.pointer);
  if (!edit.value) return !now.present();
  if (const auto* number = std::get_if<std::int64_t>(&*edit.value)) {
    return now.AsInteger() == *number;
  }
  return now.AsString() == std::string_view(std::get<std::string>(*edit.value));
}

std::optional<k8s::JsonEdit> IndexedOn(const Written& written, const Candidate& target) {
  const workload::Scale& scale = written.pods->scale;
  if (scale.counting != Counting::kJob || !target.placement.multi_host() || scale.may_be_indexed)
    return {};
  return k8s::JsonEdit{std::string(scale.pointer) + "/completionMode", "Indexed"};
}

std::optional<Candidate> AsCandidate(const Written& written) {
  if (!written.topology || written.chips_per_pod == 0) return std::nullopt;
  for (const tpu::Placement& placement : written.generation->PlacementsOf(*written.topology)) {
    const std::int64_t host = placement.chips_per_host();
    const bool fits = written.generation->node_can_be_split() ? written.chips_per_pod <= host
                                                              : written.chips_per_pod == host;
    if (!fits || !FitsPool(written, placement)) continue;
    // Of the pods that are there, and of no more or fewer: hosts of their own, parts of slices that
    // others fill, or several slices in one Job, which nobody but a person divides anew.
    const bool are_several = (written.pods->scale.slices.field.empty() || written.is_part) &&
                             written.total_chips > placement.topology.chips() &&
                             written.total_chips % placement.topology.chips() == 0;
    if (written.on_single_hosts || written.filled_by_others || are_several) {
      return WithSamePods(written, placement, written.chips_per_pod, written.total_chips);
    }
    return Shaped(written, placement, written.chips_per_pod, written.slices);
  }
  return std::nullopt;
}

std::vector<Candidate> CandidatesFor(const Written& written, k8s::JsonView object) {
  std::vector<Candidate> all;
  if (written.filled_by_others) return all;  // whole as it is, with them
  const bool counts = written.pods->scale.is_counted();
  for (const tpu::Placement& placement : Placements(written)) {
    if (!placement.standard || (placement.single_host() && !placement.machine->single_host))
      continue;
    const bool keeps = written.topology == placement.topology;
    if (!keeps && ((!counts && placement.multi_host()) || MustKeepTopology(written))) continue;
    if (!FitsPool(written, placement)) continue;
    for (const std::int64_t chips : ChipsPerPod(written, placement)) {
      if (placement.topology.chips() % chips != 0 || !CanHave(written, chips)) continue;
      for (Candidate& candidate : CandidatesOf(written, placement, chips)) {
        if (candidate.LeavesOneWorkerOf(written)) continue;
        // Nor is a topology that nobody wrote a reason for another number of chips.
        const bool keeps_total = candidate.total_chips() == written.total_chips;
        if (!written.topology && counts && written.pods->scale.pods.written && !keeps_total)
          continue;
        // The others of its group are objects of their own, which nobody changes with it.
        if (written.grouped > 1 && candidate.pods != written.grouped) continue;
        Edits& edits = candidate.edits;
        SetPodSpec(edits, written, candidate);
        for (const Written& follower : written.followers) SetPodSpec(edits, follower, candidate);
        if (!candidate.keeps_counts) SetCounts(object, written, candidate, edits);
        std::erase_if(edits, [&](const k8s::JsonEdit& edit) { return IsSo(object, edit); });
        candidate.distance = DistanceOf(written, candidate);
        all.push_back(std::move(candidate));
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  PutTheOtherWishSecond(written, all);
  return all;
}

}  // namespace tpu_admission::repair
