#include "rules/engine/subject.h"

#include <algorithm>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace {

using workload::kMirrorPod;
using workload::NodeLabel;

// The placements that `keep` keeps; all of them if it keeps none.
template <typename Keep>
tpu::PlacementList Narrowed(const tpu::PlacementList& placements, Keep keep) {
  tpu::PlacementList kept;
  for (const tpu::Placement& placement : placements) {
    if (keep(placement)) kept.push_back(placement);
  }
  return kept.empty() ? placements : kept;
}

tpu::PlacementList PlacementsFor(const Shape& shape) {
  tpu::PlacementList placements = shape.generation->PlacementsOf(*shape.topology);
  if (placements.size() < 2) return placements;
  const workload::Selected& count = shape.choice[NodeLabel::kAcceleratorCount];
  if (count.fixed()) {
    const std::optional<std::int64_t> chips = WholeNumber(count.value);
    placements = Narrowed(placements, [&](const auto& p) { return p.chips_per_host() == chips; });
  }
  const workload::Selected& machine = shape.choice[NodeLabel::kMachineType];
  if (machine.fixed()) {
    placements =
        Narrowed(placements, [&](const auto& p) { return p.machine->name == machine.value; });
  }
  return placements;
}

// The placement whose hosts the pods of `chips` chips fill; the only one if none fits.
const tpu::Placement* PlacementFor(const tpu::PlacementList& placements, bool splits,
                                   std::int64_t chips) {
  for (const tpu::Placement& placement : placements) {
    const std::int64_t host = placement.chips_per_host();
    if (chips == host || (splits && chips > 0 && host % chips == 0)) return &placement;
  }
  return placements.size() == 1 ? &placements.front() : nullptr;
}

// The slice that pods of `chips` chips fill; nothing where that is not known.
std::optional<Slice> SliceIn(const tpu::Topology& topology, const tpu::PlacementList& placements,
                             bool splits, std::int64_t chips) {
  const tpu::Placement* placement = PlacementFor(placements, splits, chips);
  if (placement == nullptr) return std::nullopt;
  const bool fits = splits && chips > 0 && placement->chips_per_host() % chips == 0;
  return Slice{topology, fits ? topology.chips() / chips : placement->hosts, placement->hosts};
}

// False if the topology is made of others, which the rule of machine types says. Of a machine
// without rows nobody knows what it serves.
bool MayServe(const tpu::Generation& generation, const tpu::PlacementList& placements,
              const tpu::MachineType& machine) {
  const auto is_of_it = [&](const tpu::Placement& p) { return p.machine == &machine; };
  const auto& rows = generation.placements;
  return placements.empty() || std::none_of(rows.begin(), rows.end(), is_of_it) ||
         std::any_of(placements.begin(), placements.end(), is_of_it);
}

// The chips of the largest host with the selected topology; 0 where no page has it of a generation.
std::int64_t MostWithTopology(const Subject& subject) {
  std::int64_t most = 0;
  bool documented = false;
  if (!subject.shape.topology) return most;
  for (const tpu::Generation& generation : subject.catalog.generations()) {
    for (const tpu::Placement& placement : generation.PlacementsOf(*subject.shape.topology)) {
      most = std::max(most, placement.chips_per_host());
      documented = documented || (generation.documented && placement.documented);
    }
  }
  return documented ? most : 0;
}

// About what it takes in memory.
std::size_t BytesOf(const Finding& finding) {
  std::size_t bytes = sizeof(Finding) + finding.pointer.size() + finding.summary.size() +
                      finding.problem.size() + finding.change.size() + finding.part.size();
  for (const k8s::JsonEdit& edit : finding.edits) bytes += sizeof(edit) + edit.pointer.size();
  return bytes;
}

}  // namespace

std::vector<std::int64_t> PossibleChips(const Subject& subject) {
  std::vector<std::int64_t> counts;
  for (const tpu::MachineType* machine : subject.shape.machines()) {
    const std::vector<std::int64_t> its = subject.shape.generation->ChipsOn(machine->chips);
    counts.insert(counts.end(), its.begin(), its.end());
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

bool IsPossible(const Subject& subject, std::int64_t chips) {
  return std::any_of(subject.shape.machines().begin(), subject.shape.machines().end(),
                     [&](const tpu::MachineType* machine) {
                       return subject.shape.generation->GivesChips(chips, machine->chips);
                     });
}

std::int64_t LargestHost(const Subject& subject) {
  std::int64_t chips = 0;
  for (const auto* machine : subject.shape.machines()) chips = std::max(chips, machine->chips);
  return chips;
}

std::int64_t MostOfAnyHost(const Subject& subject) {
  const std::int64_t most = subject.catalog.host_sizes().back();
  const std::optional<tpu::Topology>& topology = subject.shape.topology;
  return topology ? std::min(most, topology->chips()) : most;
}

std::int64_t MostOfItsHosts(const Subject& subject) {
  const std::int64_t most = MostWithTopology(subject);
  return most > 0 ? most : MostOfAnyHost(subject);
}

HostInDispute HostInDisputeOf(const Subject& subject, std::int64_t chips) {
  if (!subject.shape.topology) return {};
  for (const tpu::Generation& generation : subject.catalog.generations()) {
    const auto* const host = generation.FindDisputedHost(chips, subject.shape.topology);
    if (host != nullptr) return {&generation, host};
  }
  return {};
}

bool IsMoreThanItsHost(const Subject& subject, std::int64_t chips) {
  const bool is_named = subject.shape.choice[NodeLabel::kAccelerator].fixed();
  return chips > (is_named ? MostOfAnyHost(subject) : MostOfItsHosts(subject));
}

std::optional<Mode> UnlessMoreThanAny(const Subject& subject, std::int64_t chips) {
  if (MayBeOfNewGeneration(subject, chips)) return Mode::kWarn;
  if (chips > MostOfAnyHost(subject)) return std::nullopt;
  const bool is_open = !subject.Misses(NodeLabel::kAccelerator) ||
                       !subject.shape.choice[NodeLabel::kMachineType].free() ||
                       HostInDisputeOf(subject, chips).host != nullptr;
  return is_open ? std::optional(Mode::kWarn) : std::nullopt;
}

std::string LimitOfItsHosts(const Subject& subject) {
  const std::string most = std::to_string(MostOfItsHosts(subject));
  return MostWithTopology(subject) > 0
             ? "hosts of " + subject.shape.topology->Text() + " have at most " + most
             : "no host has more than " + most;
}

bool MayBeOfNewGeneration(const Subject& subject, std::int64_t chips) {
  const workload::Selected& label = subject.shape.choice[NodeLabel::kAccelerator];
  if (!label.fixed() || !subject.catalog.LooksLikeNewGeneration(label.value)) return false;
  const std::optional<tpu::Topology>& topology = subject.shape.topology;
  return !topology || chips <= topology->chips() || chips <= subject.catalog.host_sizes().back();
}

void Shape::FindMachines() {
  const workload::Selected& name = choice[NodeLabel::kMachineType];
  if (name.fixed()) {
    const auto* machine = generation->FindMachine(name.value);
    if (machine != nullptr && MayServe(*generation, placements, *machine)) {
      machines_[count_++] = machine;
    }
  }
  if (count_ > 0) return;
  for (const tpu::Placement& placement : placements) machines_[count_++] = placement.machine;
  if (count_ > 0) return;
  for (const tpu::MachineType& machine : generation->machines) {
    if (count_ < kMaxMachines) machines_[count_++] = &machine;
  }
}

const tpu::Generation* GenerationOf(const tpu::Catalog& catalog,
                                    const workload::NodeChoice& choice) {
  const workload::Selected& accelerator = choice[NodeLabel::kAccelerator];
  const workload::Selected& machine = choice[NodeLabel::kMachineType];
  if (accelerator.fixed()) return catalog.FindByLabel(accelerator.value);
  if (accelerator.free() && machine.fixed()) return catalog.FindByMachine(machine.value);
  return nullptr;
}

const tpu::Generation* MeantBy(const tpu::Catalog& catalog, const Shape& shape) {
  const workload::Selected& accelerator = shape.choice[NodeLabel::kAccelerator];
  if (!accelerator.fixed() || catalog.LooksLikeNewGeneration(accelerator.value)) return nullptr;
  return tpu::GuessFor(catalog, accelerator.value, shape.topology);
}

Shape MakeShape(const tpu::Catalog& catalog, const workload::NodeChoice& choice,
                Misspelt misspelt) {
  Shape shape;
  shape.choice = choice;
  shape.generation = GenerationOf(catalog, choice);
  const workload::Selected& topology = choice[NodeLabel::kTopology];
  if (topology.fixed()) shape.topology = tpu::Topology::Parse(topology.value);
  if (topology.fixed() && !shape.topology && misspelt == Misspelt::kGuessed) {
    shape.topology = tpu::Tidied(topology.value);
    shape.topology_guessed = shape.topology.has_value();
  }
  if (shape.generation == nullptr && misspelt == Misspelt::kGuessed) {
    shape.generation = MeantBy(catalog, shape);
    shape.guessed = shape.generation != nullptr;
  }
  if (shape.generation == nullptr) return shape;
  if (shape.topology) shape.placements = PlacementsFor(shape);
  shape.FindMachines();
  return shape;
}

std::string Subject::AtSpec(std::string_view below, std::size_t index) const {
  return PointerBelow(AtSpec(below), index);
}

std::string Subject::AtAnnotation(std::string_view key) const {
  return PointerBelow(AtMetadata("/annotations"), key);
}

std::string Subject::At(NodeLabel label) const {
  return workload::PointerOf(pods, label, shape.choice[label]);
}

std::string Subject::At(const workload::RequiredLabel& label) const {
  return std::string(pods.selector_pointer) + workload::PointerOf(label);
}

std::string Subject::At(const k8s::Container& container, std::string_view below) const {
  return workload::PointerOf(pods, container, below);
}

std::string Subject::AtEnv(const k8s::Container& container, std::string_view variable,
                           std::string_view below) const {
  return PointerBelow(At(container, "/env"), container.EnvIndex(variable)).append(below);
}

std::string Subject::At(const k8s::Container& container, std::string_view list,
                        std::string_view resource) const {
  return PointerBelow(PointerBelow(At(container, "/resources"), list), resource);
}

bool Subject::NeedsLabelOrClass(NodeLabel label) const {
  const std::string_view own =
      label == NodeLabel::kAccelerator ? workload::kOwnTpuAccelerator : workload::kOwnTpuTopology;
  if (cluster.platform == Platform::kSelfManaged && workload::FindRequired(pods.pod.spec, own)) {
    return false;
  }
  const k8s::ObjectMeta& metadata = workload.metadata;
  const auto gpu = workload::FindRequired(pods.pod.spec, workload::kGkeGpu);
  const bool under_other_key =
      label == NodeLabel::kAccelerator && gpu && (!gpu->fixed || NamesTpu(*gpu));
  const bool was_let_in = is_pod() && (metadata.stored || metadata.annotations.Has(kMirrorPod));
  return !pods.nodes.choices.empty() && !workload.queued && !pods.pod.spec.gated && !was_let_in &&
         !under_other_key && pods.pod.spec.resource_claims.empty();
}

std::int64_t Subject::OwnPods() const {
  const workload::Scale& scale = pods.scale;
  if (pods.row->counting == workload::Counting::kTogether) return scale.pods.value.value_or(0);
  if (!scale.is_counted() || pods.row->leads || !scale.tpu_pods) return 0;
  const auto& sets = workload.pod_sets;
  return *scale.tpu_pods - std::count_if(sets.begin(), sets.end(), [&](const auto& set) {
    return set.scale.counted_by == &pods;
  });
}

bool Subject::has_node_pool_of_its_own() const { return HasNodePoolOfItsOwn(workload, pods); }

bool Subject::may_be_counted_with_others() const {
  const auto is_for_these = [&](const workload::PodSet& set) {
    if (set.pointer == pods.pointer || set.use != pods.use || set.nodes.choices.size() != 1) {
      return false;
    }
    const Shape other = MakeShape(catalog, set.nodes.choices.front(), Misspelt::kGuessed);
    if (other.generation != shape.generation || !other.topology || !shape.topology) return false;
    const bool is_guess =
        shape.guessed || shape.topology_guessed || other.guessed || other.topology_guessed;
    return is_guess && other.topology == shape.topology;
  };
  const auto& sets = workload.pod_sets;
  return shape.generation != nullptr && std::any_of(sets.begin(), sets.end(), is_for_these);
}

const tpu::DisputedHost* Shape::DisputedHostOf(std::int64_t chips) const {
  if (generation == nullptr || generation->disputed_hosts.empty()) return nullptr;
  const workload::Selected& count = choice[NodeLabel::kAcceleratorCount];
  if (choice[NodeLabel::kMachineType].fixed()) return nullptr;  // it has a number of its own
  if (count.fixed() && count.value != std::to_string(chips)) return nullptr;
  return generation->FindDisputedHost(chips, topology);
}

bool Shape::machine_is_unknown() const {
  const workload::Selected& machine = choice[NodeLabel::kMachineType];
  if (generation == nullptr || machine.value.empty()) return false;
  if (!machine.fixed()) return workload::IsPlaceholder(machine.value);
  return machine.value.starts_with(generation->machine_family + "-") &&
         generation->FindMachine(machine.value) == nullptr;
}

std::optional<Mode> Subject::MissingSelectorMode() const {
  // The runtime or base configuration of a KServe object may select the nodes, and the workflow
  // that uses a template of Argo's.
  if (workload.kind->group == "serving.kserve.io" ||
      workload.kind->name.ends_with("WorkflowTemplate")) {
    return Mode::kAudit;
  }
  const bool refused = is_pod() && !pods.pod.spec.gated && !workload.managed_elsewhere &&
                       cluster.platform != Platform::kSelfManaged;
  return refused ? std::nullopt : std::optional(Mode::kWarn);
}

std::optional<Slice> Subject::SliceOfPods() const {
  const bool is_kueues = pods.pod.metadata.annotations.Has(workload::kKueueSliceSize);
  return is_kueues ? std::nullopt : SliceOfSelection();
}

std::optional<Slice> Subject::MultiHostSlice() const {
  std::optional<Slice> slice = SliceOfPods();
  if (slice && !slice->multi_host()) slice.reset();
  return slice;
}

std::optional<Slice> Subject::SliceOfSelection() const {
  if (shape.generation == nullptr || shape.machine_is_unknown()) return std::nullopt;
  const auto slice_in = [&](const tpu::Topology& topology, const tpu::PlacementList& placements) {
    return SliceIn(topology, placements, shape.generation->node_can_be_split(), pods.chips_per_pod);
  };
  const auto part = pods.SliceTopology();
  if (!part && shape.topology && shape.DisputedHostOf(pods.chips_per_pod) != nullptr) {
    const std::int64_t hosts = shape.topology->chips() / pods.chips_per_pod;
    return Slice{*shape.topology, hosts, hosts};
  }
  if (!part) return shape.topology ? slice_in(*shape.topology, shape.placements) : std::nullopt;
  const std::optional<tpu::Topology> topology = tpu::Topology::Parse(*part);
  if (!topology) return std::nullopt;
  return slice_in(*topology, shape.generation->PlacementsOf(*topology));
}

bool Subject::is_of_several_hosts_anywhere() const {
  const bool is_open = !shape.choice[NodeLabel::kAccelerator].fixed() && shape.topology &&
                       !shape.topology_guessed && !pods.SliceTopology() &&
                       !pods.pod.metadata.annotations.Has(workload::kKueueSliceSize);
  if (!is_open || shape.generation != nullptr || pods.scale.pods.value.value_or(0) < 2) {
    return false;
  }
  if (pods.chips_per_pod == 0 || shape.topology->chips() <= pods.chips_per_pod) return false;
  std::size_t ways = 0;
  for (const tpu::Generation& generation : catalog.generations()) {
    const tpu::PlacementList placements = generation.PlacementsOf(*shape.topology);
    const auto is_one = [](const tpu::Placement& placement) { return placement.single_host(); };
    if (std::any_of(placements.begin(), placements.end(), is_one)) return false;
    ways += placements.size();
  }
  return ways > 0;
}

void Report::Add(Finding finding) {
  constexpr std::size_t kLongestName = 253;  // of anything in Kubernetes
  if (full()) return;
  finding.rule = &rule_;
  finding.pods = &pods_;
  // Names are compared with each other; a stranger's may be as long as a body.
  finding.container.resize(std::min(finding.container.size(), kLongestName));
  finding.part.resize(std::min(finding.part.size(), kLongestName));
  if (!finding.edits.empty()) {
    finding.decision = {};
  } else if (finding.decision.empty() && rule_.fix == nullptr) {
    finding.decision = "what is meant";
  }
  const std::size_t bytes = BytesOf(finding);
  if (bytes > allowance_.bytes) {
    allowance_.used_up = true;
    return;
  }
  allowance_.bytes -= bytes;
  ++added_;
  findings_.push_back(std::move(finding));
}

void Report::Add(const k8s::Container& container, Finding finding) {
  if (finding.pointer.empty()) finding.pointer = workload::PointerOf(pods_, container, "");
  finding.container = container.name;
  Add(std::move(finding));
}

}  // namespace tpu_admission::rules
