#include "repair/written.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"
#include "tpu_admission/workload/edits.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::repair {
namespace {

using workload::Counting;
using workload::NodeLabel;

// Whether a pod may have as many chips on a host of the placement.
bool Fits(const Written& written, const tpu::Placement& placement) {
  const std::int64_t host = placement.chips_per_host();
  if (!written.generation->node_can_be_split()) return written.chips_per_pod == host;
  const auto& parts = written.generation->container_chips;
  // Several containers share what it asks for.
  const bool is_part = parts.empty() || written.container == nullptr ||
                       std::find(parts.begin(), parts.end(), written.chips_per_pod) != parts.end();
  return is_part && written.chips_per_pod > 0 && written.chips_per_pod <= host;
}

// Those of `of` that are so; all of them where none is.
template <typename Are>
tpu::PlacementList Those(const tpu::PlacementList& of, const Are& are) {
  tpu::PlacementList some;
  for (const tpu::Placement& each : of) {
    if (are(each)) some.push_back(each);
  }
  return some.empty() ? of : some;
}

// Whether the other labels select such hosts.
bool IsSelected(const Written& written, const tpu::Placement& placement) {
  const workload::Selected& machine = (*written.choice)[NodeLabel::kMachineType];
  const workload::Selected& count = (*written.choice)[NodeLabel::kAcceleratorCount];
  return (!machine.fixed() || machine.value == placement.machine->name) &&
         (!count.fixed() || count.value == std::to_string(placement.chips_per_host()));
}

// What the topology may be for these pods; where their chips fit none, all that it may be.
tpu::PlacementList PlacementsFor(const Written& written) {
  const tpu::PlacementList all = written.generation->PlacementsOf(*written.topology);
  return Those(Those(all, [&](const auto& each) { return Fits(written, each); }),
               [&](const auto& each) { return IsSelected(written, each); });
}

bool AreSingle(const tpu::PlacementList& placements) {
  return !placements.empty() &&
         std::all_of(placements.begin(), placements.end(),
                     [](const tpu::Placement& placement) { return placement.single_host(); });
}

// Pods of other chips than the one host has: those with its chips in all are to share it, though a
// container takes all of them; those that are as they are for a larger slice mean that one.
bool AreOfOneSlice(const Written& written, const tpu::PlacementList& single) {
  if (Fits(written, single.front())) return false;
  const std::int64_t pods = written.pods->scale.tpu_pods.value_or(0);
  if (pods > 1 && written.chips_per_pod * pods == written.topology->chips()) return true;
  const auto& all = written.generation->placements;
  return std::any_of(all.begin(), all.end(), [&](const tpu::Placement& placement) {
    return placement.multi_host() && placement.hosts == pods &&
           placement.chips_per_host() == written.chips_per_pod;
  });
}

// The hosts of a slice of a Ray group are what it says, be it one.
bool IsOnSingleHosts(const Written& written) {
  const workload::Scale& scale = written.pods->scale;
  if (!written.topology || !scale.is_counted() || scale.counting == Counting::kPerSlice) {
    return false;
  }
  const tpu::PlacementList placements = PlacementsFor(written);
  return AreSingle(placements) && !AreOfOneSlice(written, placements);
}

// 2X2 or 2x2x1, which only is to be written as 2x2.
void ReadWhatIsMeant(std::string_view text, Written& written) {
  if (written.is_part || written.is_in_catalog()) return;
  const std::optional<tpu::Topology> as_written =
      std::exchange(written.topology, tpu::Tidied(text));
  if (written.topology && !written.is_in_catalog()) {
    written.topology = tpu::AsOffered(*written.generation, *written.topology);
  }
  written.topology_is_said = written.is_in_catalog();
  if (!written.topology_is_said) written.topology = as_written;
}

// The chips that the pods have once those of each are what a host has.
std::int64_t ChipsOfAHost(const Written& written) {
  const tpu::PlacementList placements = PlacementsFor(written);
  if (placements.empty() || Fits(written, placements.front())) return written.chips_per_pod;
  if (AreSingle(placements) && AreOfOneSlice(written, placements)) return written.chips_per_pod;
  return placements.front().chips_per_host();
}

// Whether there are as many pods as the topology has hosts, each of which one pod takes: two say
// the same then, and the chips of a container are the slip. Of a topology that is not offered the
// hosts are as large as those of the others.
bool HostsAreRight(const Written& written) {
  if (written.pods_per_slice < 2 || !written.topology) return false;
  const tpu::Generation& generation = *written.generation;
  const tpu::PlacementList offered = generation.PlacementsOf(*written.topology);
  const auto is_right = [&](const tpu::Placement& placement) {
    return placement.multi_host() &&
           placement.chips_per_host() * written.pods_per_slice == written.topology->chips();
  };
  return offered.empty()
             ? std::any_of(generation.placements.begin(), generation.placements.end(), is_right)
             : std::any_of(offered.begin(), offered.end(), is_right);
}

// As many pods as the slice has hosts, of which the Job makes no more than its completions, which
// are the slip then.
bool HasTooFewCompletions(const Written& written) {
  const workload::Scale& scale = written.pods->scale;
  if (scale.counting != Counting::kJob || !written.topology) return false;
  return scale.completions.value.value_or(*scale.pods.value) < *scale.pods.value &&
         ChipsOfAHost(written) * *scale.pods.value == written.topology->chips();
}

// Fewer pods than completions, which are the hosts of the slice: its Job would run them in turn.
bool HasCompletionsOfASlice(const Written& written) {
  const workload::Scale& scale = written.pods->scale;
  if (scale.counting != Counting::kJob || !written.topology) return false;
  const std::int64_t completions = scale.completions.value.value_or(0);
  return 0 < *scale.pods.value && *scale.pods.value < completions &&
         ChipsOfAHost(written) * completions == written.topology->chips();
}

// Whether another label says that a host has the chips of the pod, which the topology has not: two
// say the same then.
bool HasChipsOfTheMachine(const Written& written) {
  const workload::Selected& name = (*written.choice)[NodeLabel::kMachineType];
  const workload::Selected& count = (*written.choice)[NodeLabel::kAcceleratorCount];
  const auto& machines = written.generation->machines;
  return std::any_of(machines.begin(), machines.end(), [&](const tpu::MachineType& machine) {
    return machine.chips == written.chips_per_pod &&
           ((name.fixed() && name.value == machine.name) ||
            (count.fixed() && WholeNumber(count.value) == machine.chips));
  });
}

// The chips that the pods of a slice ask for, and those of the topology: which was meant?
std::int64_t TotalChips(const Written& written, bool count_is_written) {
  const std::int64_t asked = written.chips_per_pod * written.pods_per_slice * written.slices;
  if (!written.topology) return asked;
  const std::int64_t shaped = written.topology->chips() * written.slices;
  // Pods that fill one slice together, though nobody says so (numOfHosts is missing).
  if (!count_is_written && asked == written.topology->chips()) return asked;
  const tpu::PlacementList offered = written.generation->PlacementsOf(*written.topology);
  if (written.fills_hosts) return shaped;
  // Nor is a container's more than one of several single hosts has a wish.
  if (count_is_written && written.on_single_hosts && written.pods->scale.tpu_pods.value_or(1) > 1) {
    return ChipsOfAHost(written) * written.pods_per_slice * written.slices;
  }
  const auto& machines = written.generation->machines;
  const bool possible = std::any_of(
      machines.begin(), machines.end(),
      [&](const tpu::MachineType& machine) { return written.chips_per_pod <= machine.chips; });
  const bool counts = written.pods->scale.is_counted();
  if (offered.empty()) {
    // Where neither can be, nobody means the larger one.
    if (!possible && count_is_written && asked > 0) return std::min(asked, shaped);
    return possible && asked > 0 && (count_is_written || !counts) ? asked : shaped;
  }
  if (!counts) {
    const bool fits = std::any_of(offered.begin(), offered.end(),
                                  [&](const auto& each) { return Fits(written, each); });
    return !fits && HasChipsOfTheMachine(written) ? asked : shaped;
  }
  return count_is_written && possible && asked > 0 ? asked : shaped;
}

// The slice that the pods want cut out of the one that they select, or all of it, or made of
// several such, where that can be; where they select none, out of any.
std::optional<tpu::Topology> PartOf(const Written& written, bool selects) {
  const auto text = written.pods->SliceTopology();
  const auto part = text ? tpu::Topology::Parse(*text) : std::nullopt;
  if (!part) return std::nullopt;
  const auto& dynamic = written.generation->dynamic_slicing;
  const auto makes = [&](const tpu::Topology& pool) {
    return pool.Contains(*part) || (dynamic && pool == dynamic->block);
  };
  if (selects && !(written.topology && makes(*written.topology))) return std::nullopt;
  return written.generation->Has(*part) ? part : std::nullopt;
}

// Where request and limit of the chips differ, the one was meant that a host of the topology has.
std::int64_t ChipsMeant(const Written& written) {
  const std::int64_t chips = written.pods->chips_per_pod;
  if (written.container == nullptr || !written.topology) return chips;
  const k8s::Amount* const request = written.container->requests.Find(workload::kTpuResource);
  if (request == nullptr || !request->quantity) return chips;
  const std::int64_t requested = request->quantity->AsInteger().value_or(chips);
  const tpu::PlacementList placements =
      Those(written.generation->PlacementsOf(*written.topology),
            [&](const auto& each) { return IsSelected(written, each); });
  const auto has = [&](std::int64_t number) {
    return std::any_of(placements.begin(), placements.end(), [&](const tpu::Placement& placement) {
      return placement.chips_per_host() == number;
    });
  };
  return has(requested) && !has(chips) ? requested : chips;
}

// https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/
std::int64_t PodsOfGroup(const workload::PodSet& pods) {
  const k8s::ObjectMeta& pod = pods.pod.metadata;
  const auto count = pod.annotations.Find(workload::kKueuePodGroupCount);
  const bool is_plain = pods.scale.counting == Counting::kNone && pods.pointer.empty();
  if (!is_plain || !count || !pod.labels.Has(workload::kKueuePodGroup)) return 0;
  return WholeNumber(*count).value_or(0);
}

// Pods that fill slices with those of other sets have no wish for more chips than their hosts have.
void FillWithOthers(const workload::Workload& workload, Written& written) {
  if (!written.topology || written.on_single_hosts || written.has_paused_pods) return;
  const std::int64_t host = ChipsOfAHost(written);
  if (host <= 0 || written.topology->chips() % host != 0) return;
  const std::int64_t hosts = written.topology->chips() / host;
  // Or ask for whole slices alone.
  const bool are_whole =
      written.chips_per_pod * written.pods_per_slice % written.topology->chips() == 0;
  if (hosts < 2 || are_whole) return;
  written.filled_by_others =
      PodsWithOthers(workload, *written.pods, hosts).value_or(1) % hosts == 0;
  if (written.filled_by_others && written.is_in_catalog()) {
    written.total_chips = host * written.pods_per_slice * written.slices;
  }
}

// What a label that names no generation was meant to be, as the rules guess it.
const tpu::Generation* Guess(const tpu::Catalog& catalog, const workload::NodeChoice& choice) {
  return tpu::GuessFor(catalog, choice[NodeLabel::kAccelerator].value,
                       tpu::Topology::Parse(choice[NodeLabel::kTopology].value));
}

}  // namespace

std::optional<Written> Read(const tpu::Catalog& catalog, const workload::PodSet& pods) {
  if (pods.use != workload::TpuUse::kChips) return std::nullopt;  // nobody asked for chips
  if (pods.nodes.choices.size() != 1) return std::nullopt;
  Written written;
  written.pods = &pods;
  written.choice = &pods.nodes.choices.front();
  const workload::Selected& accelerator = (*written.choice)[NodeLabel::kAccelerator];
  const workload::Selected& machine = (*written.choice)[NodeLabel::kMachineType];
  if (accelerator.fixed()) {
    written.generation = catalog.FindByLabel(accelerator.value);
    if (written.generation == nullptr) written.generation = Guess(catalog, *written.choice);
  } else if (machine.fixed()) {
    written.generation = catalog.FindByMachine(machine.value);
  }
  if (written.generation == nullptr) return std::nullopt;
  written.container = ChipContainer(pods);
  // Where one container takes a whole host, somebody must say which.
  if (written.container == nullptr && !written.generation->node_can_be_split()) return std::nullopt;
  const workload::Selected& topology = (*written.choice)[NodeLabel::kTopology];
  if (topology.fixed()) written.topology = tpu::Topology::Parse(topology.value);
  if (const auto part = PartOf(written, !topology.free())) {
    written.is_part = true;
    written.cut_from = written.topology;
    written.topology = part;
  }
  if (topology.fixed()) ReadWhatIsMeant(topology.value, written);
  const workload::Scale& scale = pods.scale;
  written.chips_per_pod = ChipsMeant(written);
  written.grouped = PodsOfGroup(pods);
  if (scale.is_counted()) {
    if (!scale.pods.value || !scale.slices.value) return std::nullopt;  // a placeholder
    // Others may or may not fill slices with it.
    if (!scale.tpu_pods && scale.sub_group == 0) return std::nullopt;
    if (scale.leader_has_others) return std::nullopt;  // is it a worker?
    written.has_paused_pods = scale.has_no_pods();
    written.has_paused_slices = scale.has_no_slices();
    written.pods_per_slice = std::max<std::int64_t>(1, scale.tpu_pods.value_or(*scale.pods.value));
    written.slices = std::max<std::int64_t>(1, *scale.slices.value);
    written.sub_groups = scale.sub_groups();
    written.slices *= written.sub_groups;
    written.on_single_hosts = IsOnSingleHosts(written);
    if (HasTooFewCompletions(written)) written.pods_per_slice = *scale.pods.value;
    if (HasCompletionsOfASlice(written)) written.pods_per_slice = *scale.completions.value;
    if (scale.counting == Counting::kReplicas && written.topology && written.chips_per_pod > 0) {
      // A StatefulSet says how many pods there are, not how many slices: several, where the pods
      // ask for more chips than one has.
      const std::int64_t chips = written.topology->chips();
      const std::int64_t hosts = chips / ChipsOfAHost(written);
      const bool are_several = hosts == 1 || written.chips_per_pod * written.pods_per_slice > chips;
      if (are_several && hosts > 0 && written.pods_per_slice % hosts == 0) {
        written.slices = written.pods_per_slice / hosts;
        written.pods_per_slice = hosts;
      }
    }
  }
  const bool count_is_written = scale.pods.written && !written.has_paused_pods;
  written.fills_hosts = count_is_written && HostsAreRight(written);
  written.total_chips = TotalChips(written, count_is_written);
  return written;
}

bool Written::HasShapeOf(const Written& other) const {
  return generation == other.generation && topology == other.topology &&
         chips_per_pod == other.chips_per_pod && pods_per_slice == other.pods_per_slice &&
         slices == other.slices && is_part == other.is_part &&
         std::equal(followers.begin(), followers.end(), other.followers.begin(),
                    other.followers.end(),
                    [](const Written& a, const Written& b) { return a.HasShapeOf(b); });
}

std::optional<Written> ReadAll(const tpu::Catalog& catalog, const workload::Workload& workload,
                               const workload::PodSet& pods) {
  std::optional<Written> written = Read(catalog, pods);
  if (!written) return std::nullopt;
  for (const workload::PodSet& other : workload.pod_sets) {
    if (other.scale.counted_by != &pods) continue;
    std::optional<Written> follower = Read(catalog, other);
    if (!follower) return std::nullopt;
    written->followers.push_back(*std::move(follower));
  }
  FillWithOthers(workload, *written);
  written->is_alone_in_pools = pods.scale.counting == Counting::kJob &&
                               !pods.scale.slices.field.empty() &&
                               HasNodePoolOfItsOwn(workload, pods);
  return written;
}

}  // namespace tpu_admission::repair
