#include "repair/candidate.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/tpu/guess.h"

namespace tpu_admission::repair {
namespace {

using k8s::JsonEdit;
using workload::Counting;
using workload::NodeLabel;

constexpr std::int64_t kSharePercent = 80;  // of what a node gives, as the request fix takes

// Collects edits; one that would change nothing is none.
class Edits {
 public:
  explicit Edits(k8s::JsonView object) : object_(object) {}

  void Set(std::string pointer, std::int64_t number) {
    if (k8s::At(object_, pointer).AsInteger() == number) return;
    edits_.push_back({std::move(pointer), number});
  }
  void Set(std::string pointer, std::string text) {
    if (k8s::At(object_, pointer).AsString() == std::string_view(text)) return;
    edits_.push_back({std::move(pointer), std::move(text)});
  }
  void Remove(std::string pointer) {
    if (k8s::At(object_, pointer).present()) edits_.push_back({std::move(pointer), std::nullopt});
  }
  std::vector<JsonEdit> Take() { return std::move(edits_); }
  k8s::JsonView object() const { return object_; }

 private:
  k8s::JsonView object_;
  std::vector<JsonEdit> edits_;
};

std::string PointerOf(const workload::PodSet& pods, NodeLabel label,
                      const workload::Selected& selected) {
  if (!selected.pointer.empty()) return std::string(selected.pointer);
  const std::string place =
      std::string(pods.selector_pointer) + workload::PointerOf(label, selected);
  if (selected.fixed() && selected.term != workload::Selected::kInNodeSelector) {
    return place + "/values/0";
  }
  if (selected.fixed()) return place;
  std::string pointer = std::string(pods.selector_pointer) + "/nodeSelector";
  AppendPointerToken(pointer, Key(label));
  return pointer;
}

void SetLabel(Edits& edits, const Written& written, NodeLabel label, std::string value) {
  const workload::Selected& selected = (*written.choice)[label];
  edits.Set(PointerOf(*written.pods, label, selected), std::move(value));
}

std::string At(const workload::PodSet& pods, const k8s::Container& container) {
  std::string pointer = std::string(pods.spec_pointer) + "/";
  pointer.append(container.list);
  if (container.index != k8s::Container::kAlone) AppendPointerIndex(pointer, container.index);
  return pointer;
}

// The one container that has, or is to have, the chips; nullptr if there are several.
const k8s::Container* ChipContainer(const workload::PodSet& pods) {
  const k8s::Container* found = nullptr;
  std::size_t main = 0;
  const k8s::Container* only = nullptr;
  for (const k8s::Container& container : pods.pod.spec.containers) {
    if (container.role == k8s::ContainerRole::kMain) {
      ++main;
      only = &container;
    }
    if (!workload::UsesTpu(container)) continue;
    if (found != nullptr) return nullptr;
    found = &container;
  }
  if (found != nullptr) return found;
  return main == 1 ? only : nullptr;
}

void SetChips(Edits& edits, const Written& written, const Candidate& target) {
  const k8s::Container& container = *ChipContainer(*written.pods);
  const std::string resources = At(*written.pods, container) + "/resources";
  const auto set = [&](std::string_view list) {
    std::string pointer = resources + "/" + std::string(list);
    AppendPointerToken(pointer, workload::kTpuResource);
    const k8s::JsonView now = k8s::At(edits.object(), pointer);
    // "4" and 4 are the same amount.
    if (now.AsString() == std::to_string(target.chips_per_pod)) return;
    edits.Set(pointer, target.chips_per_pod);
  };
  set("limits");
  if (container.requests.Has(workload::kTpuResource)) set("requests");
}

// CPU and memory that the machine does not have become what a node of it gives.
void FitRequests(Edits& edits, const Written& written, const Candidate& target) {
  const k8s::Container& container = *ChipContainer(*written.pods);
  const tpu::MachineType& machine = *target.placement.machine;
  const auto fit = [&](std::string_view resource, k8s::Quantity most, const std::string& share) {
    for (const std::string_view list : {"requests", "limits"}) {
      const auto amount =
          (list == "requests" ? container.requests : container.limits).Find(resource);
      if (!amount || !amount->quantity || !(*amount->quantity > most)) continue;
      std::string pointer = At(*written.pods, container) + "/resources/" + std::string(list) + "/";
      edits.Set(pointer.append(resource), share);
    }
  };
  const std::int64_t part = target.chips_per_pod * kSharePercent;
  const std::int64_t whole = machine.chips * 100;
  fit("cpu", k8s::Quantity::FromMillis(machine.allocatable.cpu_millis),
      std::to_string(machine.allocatable.cpu_millis * part / whole) + "m");
  fit("memory", k8s::Quantity::FromMebibytes(machine.allocatable.memory_mib),
      std::to_string(machine.allocatable.memory_mib * part / whole) + "Mi");
}

// KubeRay holds the replicas of a group between its minReplicas and maxReplicas.
void SetSlices(Edits& edits, const workload::Scale& scale, std::int64_t slices) {
  if (scale.slices.value == slices) return;
  const std::string pointer = scale.slices.pointer();
  edits.Set(pointer, slices);
  const std::string holder = pointer.substr(0, pointer.rfind('/'));
  const auto bound = [&](const std::string& name) {
    return k8s::At(edits.object(), holder + name).AsInteger();
  };
  if (bound("/minReplicas").value_or(slices) > slices) edits.Set(holder + "/minReplicas", slices);
  if (bound("/maxReplicas").value_or(slices) < slices) edits.Set(holder + "/maxReplicas", slices);
}

void SetCounts(Edits& edits, const Written& written, const Candidate& target) {
  const workload::Scale& scale = written.pods->scale;
  const std::string holder(scale.pointer);
  switch (scale.counting) {
    case Counting::kJob: {
      const bool has_slices = !scale.slices.field.empty();
      const std::int64_t pods = has_slices ? target.pods : target.pods * target.slices;
      const bool equal = !scale.completions.written || scale.completions.value == scale.pods.value;
      edits.Set(holder + "/parallelism", pods);
      if (equal || scale.completions.value.value_or(0) < pods) {
        edits.Set(holder + "/completions", pods);
      }
      if (has_slices) SetSlices(edits, scale, target.slices);
      if (target.placement.hosts > 1 && !scale.indexed) {
        edits.Set(holder + "/completionMode", std::string("Indexed"));
      }
      break;
    }
    case Counting::kReplicas:
    case Counting::kTogether:
      edits.Set(holder + "/replicas", target.pods * target.slices);
      break;
    case Counting::kPerSlice:
      edits.Set(scale.pods.pointer(), target.pods);
      SetSlices(edits, scale, target.slices);
      break;
    case Counting::kGroup:
      edits.Set(scale.pods.pointer(), target.pods + scale.leaders_without_tpus);
      SetSlices(edits, scale, target.slices);
      break;
    case Counting::kNone:
    case Counting::kElsewhere:
      break;
  }
}

void SetSelection(Edits& edits, const Written& written, const Candidate& target) {
  SetLabel(edits, written, NodeLabel::kAccelerator, target.generation->label);
  SetLabel(edits, written, NodeLabel::kTopology, target.placement.topology.Text());
  const workload::NodeChoice& choice = *written.choice;
  const std::string chips = std::to_string(target.placement.chips_per_host());
  // Nodes of a larger host have the same labels otherwise.
  const tpu::PlacementList same = target.generation->PlacementsOf(target.placement.topology);
  const bool ambiguous = std::any_of(same.begin(), same.end(), [&](const tpu::Placement& other) {
    return other.chips_per_host() > target.placement.chips_per_host();
  });
  if (choice[NodeLabel::kAcceleratorCount].fixed() || ambiguous) {
    SetLabel(edits, written, NodeLabel::kAcceleratorCount, chips);
  }
  if (choice[NodeLabel::kMachineType].fixed()) {
    SetLabel(edits, written, NodeLabel::kMachineType, target.placement.machine->name);
  }
}

bool Counts(Counting counting) {
  return counting != Counting::kNone && counting != Counting::kElsewhere;
}

// The chips that the pods of a slice ask for, and those of the topology: which was meant?
std::int64_t TotalChips(const Written& written, bool count_is_written) {
  const std::int64_t asked = written.chips_per_pod * written.pods_per_slice * written.slices;
  if (!written.topology) return asked;
  const std::int64_t shaped = written.topology->chips() * written.slices;
  // Pods that fill one slice together, though nobody says so (numOfHosts is missing).
  if (!count_is_written && asked == written.topology->chips()) return asked;
  const auto& machines = written.generation->machines;
  const bool possible = std::any_of(
      machines.begin(), machines.end(),
      [&](const tpu::MachineType& machine) { return written.chips_per_pod <= machine.chips; });
  const bool offered = !written.generation->PlacementsOf(*written.topology).empty();
  const bool counts = Counts(written.pods->scale.counting);
  if (!offered) return possible && asked > 0 && (count_is_written || !counts) ? asked : shaped;
  if (!counts) return shaped;
  return count_is_written && possible && asked > 0 ? asked : shaped;
}

// How often the slices of the object are wanted with this topology.
std::vector<std::int64_t> Slices(const Written& written, std::int64_t chips) {
  std::vector<std::int64_t> slices = {written.slices};
  const workload::Scale& scale = written.pods->scale;
  const bool countable = !scale.slices.field.empty() || scale.counting == Counting::kReplicas;
  if (countable && written.total_chips % chips == 0 && written.total_chips / chips > 0) {
    slices.push_back(written.total_chips / chips);
  }
  if (slices.back() == slices.front()) slices.resize(1);
  return slices;
}

std::vector<std::int64_t> ChipsPerPod(const Written& written, const tpu::Generation& generation,
                                      const tpu::Placement& placement) {
  std::vector<std::int64_t> chips;
  for (const std::int64_t part : generation.container_chips) {
    if (part <= placement.chips_per_host()) chips.push_back(part);
  }
  if (chips.empty()) return {placement.chips_per_host()};
  const auto same = std::find(chips.begin(), chips.end(), written.chips_per_pod);
  if (same != chips.end()) return {*same, chips.back()};
  return {chips.back()};
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

// What a label that names no generation was meant to be, as the rules guess it.
const tpu::Generation* Guess(const tpu::Catalog& catalog, const workload::NodeChoice& choice) {
  const std::string_view label = choice[NodeLabel::kAccelerator].value;
  const auto topology = tpu::Topology::Parse(choice[NodeLabel::kTopology].value);
  return topology ? tpu::GuessFor(catalog, label, *topology) : catalog.Guess(label);
}

}  // namespace

std::optional<Written> Read(const tpu::Catalog& catalog, const workload::PodSet& pods) {
  if (pods.use != workload::TpuUse::kChips) return std::nullopt;  // nobody asked for chips
  if (pods.nodes.choices.size() != 1 || ChipContainer(pods) == nullptr) return std::nullopt;
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
  const workload::Selected& topology = (*written.choice)[NodeLabel::kTopology];
  if (topology.fixed()) written.topology = tpu::Topology::Parse(topology.value);
  const workload::Scale& scale = pods.scale;
  written.chips_per_pod = pods.chips_per_pod;
  if (Counts(scale.counting)) {
    if (!scale.pods.value || !scale.slices.value) return std::nullopt;  // a placeholder
    written.pods_per_slice = std::max<std::int64_t>(1, scale.tpu_pods.value_or(*scale.pods.value));
    written.slices = std::max<std::int64_t>(1, *scale.slices.value);
    if (scale.counting == Counting::kReplicas && written.topology && written.chips_per_pod > 0) {
      // A StatefulSet says how many pods there are, not how many slices.
      const std::int64_t hosts = written.topology->chips() / written.chips_per_pod;
      if (hosts > 0 && written.pods_per_slice % hosts == 0) {
        written.slices = written.pods_per_slice / hosts;
        written.pods_per_slice = hosts;
      }
    }
  }
  written.total_chips = TotalChips(written, scale.pods.written);
  return written;
}

std::vector<Candidate> CandidatesFor(const Written& written, k8s::JsonView object) {
  std::vector<Candidate> all;
  const bool counts = Counts(written.pods->scale.counting);
  for (const tpu::Placement& placement : Placements(written)) {
    if (!placement.standard || (placement.hosts == 1 && !placement.machine->single_host)) continue;
    if (!counts && placement.hosts > 1 && written.topology != placement.topology) continue;
    for (const std::int64_t chips : ChipsPerPod(written, *written.generation, placement)) {
      if (placement.topology.chips() % chips != 0) continue;
      for (const std::int64_t slices : Slices(written, placement.topology.chips())) {
        Candidate candidate;
        candidate.placement = placement;
        candidate.generation = written.generation;
        candidate.chips_per_pod = chips;
        candidate.pods = placement.topology.chips() / chips;
        candidate.slices = slices;
        Edits edits(object);
        SetSelection(edits, written, candidate);
        SetChips(edits, written, candidate);
        SetCounts(edits, written, candidate);
        FitRequests(edits, written, candidate);
        candidate.edits = edits.Take();
        const auto sides = placement.topology.dimensions();
        const std::int64_t off = std::abs(candidate.total_chips() - written.total_chips);
        // If the chips cannot stay as they are, the topology that somebody wrote down may.
        candidate.distance = {off > 0,
                              !placement.documented,
                              off > 0 && written.topology != placement.topology,
                              off,
                              candidate.chips_per_pod != written.chips_per_pod,
                              written.topology != placement.topology,
                              candidate.pods != written.pods_per_slice,
                              candidate.edits.size(),
                              *std::max_element(sides.begin(), sides.end())};
        if (!candidate.edits.empty()) all.push_back(std::move(candidate));
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  return all;
}

}  // namespace tpu_admission::repair
