#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace tpu417 {

using workload::Counting;
using workload::NodeLabel;
using workload::PodSet;
using workload::RequiredLabel;

constexpr std::int64_t kMostChips = 1'000'000;  // of a pod
constexpr Constant kDecision = "which node pools the slices may use";

bool Selects(const PodSet& set, std::string_view pool) {
  const auto label = workload::FindRequired(set.pod.spec, workload::kGkeNodePool);
  return label && label->Is(pool);
}

// Leaders of a group and other templates whose pods are counted with these select the pool too.
bool AllSelect(const Subject& subject, std::string_view pool) {
  return std::all_of(subject.workload.pod_sets.begin(), subject.workload.pod_sets.end(),
                     [&](const PodSet& set) {
                       return set.scale.counted_by != &subject.pods || Selects(set, pool);
                     });
}

// What the pod sets ask of the pool together.
struct Sum {
  std::int64_t chips = 0;
  const PodSet* other = nullptr;  // one of them
  bool is_last = true;            // of them: one is enough to say it
};
// A sum of 0: some may begin when others are done, or one alone asks for more, and says so.
Sum SumOf(const Subject& subject, std::string_view pool, const Slice& slice) {
  Sum sum;
  for (const PodSet& set : subject.workload.pod_sets) {
    if (set.scale.depends_on_others) return {};
    const std::int64_t pods = set.scale.all_tpu_pods().value_or(0);
    if (pods <= 0 || set.chips_per_pod <= 0 || set.chips_per_pod > kMostChips) continue;
    if (!Selects(set, pool) ||
        GoTogether(set.nodes, subject.pods.nodes) != workload::Together::kYes)
      continue;
    const std::int64_t chips = pods * set.chips_per_pod;
    if (chips > slice.topology.chips()) return {};
    sum.chips += chips;
    if (&set == &subject.pods) continue;
    sum.other = &set;
    sum.is_last = &set < &subject.pods;
  }
  return sum;
}

// The one kind of nodes that a set selects.
struct Nodes {
  std::string generation;
  std::string topology;

  std::string Text() const { return generation + " " + topology; }
  bool operator==(const Nodes&) const = default;
};
// Nothing if it is not known.
std::optional<Nodes> NodesOf(const Subject& subject, const PodSet& set) {
  if (set.nodes.choices.size() != 1) return std::nullopt;
  const workload::NodeChoice& choice = set.nodes.choices[0];
  const workload::Selected& topology = choice[NodeLabel::kTopology];
  const tpu::Generation* generation = GenerationOf(subject.catalog, choice);
  const auto shape = topology.fixed() ? tpu::Topology::Parse(topology.value) : std::nullopt;
  if (generation == nullptr || generation->dynamic_slicing || !shape) return std::nullopt;
  return Nodes{generation->label, shape->Rising().Text()};
}

// Its replicas are 0, or its pods.
bool IsPaused(const PodSet& set) { return set.scale.has_no_slices() || set.scale.has_no_pods(); }

// No slice of them has several hosts.
bool AreSingleHosts(const Subject& subject, const Nodes& nodes) {
  const tpu::Generation* const generation = subject.catalog.FindByLabel(nodes.generation);
  const auto shape = tpu::Topology::Parse(nodes.topology);
  if (generation == nullptr || !shape) return false;
  const tpu::PlacementList placements = generation->PlacementsOf(*shape);
  return !placements.empty() &&
         std::all_of(placements.begin(), placements.end(),
                     [](const tpu::Placement& placement) { return placement.single_host(); });
}

// The first set that wants other nodes of the same pool, before this one; or of single hosts, which
// speak of each other only.
const PodSet* OtherNodesOf(const Subject& subject, std::string_view pool) {
  const std::span<const PodSet> sets = subject.workload.pod_sets;
  if (sets.size() < 2) return nullptr;
  const std::optional<Nodes> own = NodesOf(subject, subject.pods);
  if (!own || IsPaused(subject.pods)) return nullptr;
  const bool is_single = AreSingleHosts(subject, *own);
  const auto wants_others = [&](const PodSet& set) {
    if (set.use != workload::TpuUse::kChips || IsPaused(set) || set.SliceTopology()) return false;
    if (!Selects(set, pool)) return false;
    const std::optional<Nodes> nodes = NodesOf(subject, set);
    if (!nodes || nodes == own) return false;
    const bool is_before = &set < &subject.pods;
    const bool other_is_single = AreSingleHosts(subject, *nodes);
    return is_single ? is_before && other_is_single : is_before || other_is_single;
  };
  const auto found = std::find_if(sets.begin(), sets.end(), wants_others);
  return found == sets.end() ? nullptr : &*found;
}

std::string NameOf(const PodSet& set) {
  return set.name.empty() ? "another pod template" : Quoted(set.name);
}

// Pods of a Job end, and make room.
std::string_view HowLong(const workload::Scale& scale) {
  return scale.counting == Counting::kJob
             ? "until these end; slices that work together wait for ever."
             : "for ever.";
}

// ", or set replicas to 1"
std::string OneSlice(const workload::Scale& scale, std::int64_t pods) {
  if (!scale.slices.field.empty() && scale.tpu_pods == pods && scale.sub_groups() == 1) {
    return fmt::format(", or set {} to 1", scale.slices.field);
  }
  const bool plain = scale.slices.field.empty() && !scale.shared && !scale.pods.field.empty();
  return plain ? fmt::format(", or set {} to {}", scale.pods.field, pods)
               : ", or ask for the pods of one slice";
}

void ReportSlices(const Subject& subject, const RequiredLabel& pool, const Slice& slice,
                  std::int64_t pods, Report& report) {
  const std::string topology = slice.topology.Text();
  const std::int64_t slices = pods / slice.pods;
  const bool is_whole = pods % slice.pods == 0;
  const std::string fill = is_whole ? fmt::format(", which fill {} slices", slices) : "";
  report.Add(
      {.pointer = subject.At(pool),
       .part = std::string(workload::kGkeNodePool),
       .summary =
           is_whole
               ? fmt::format("one node pool cannot hold {} slices of {}", slices, topology)
               : fmt::format("one node pool of {} cannot hold {}", topology, Counted(pods, "pod")),
       .problem = fmt::format("is {}, and {} select it{}. In GKE a node pool of {} is exactly one "
                              "slice of {} and gets no more nodes: {} run there, and the other {} "
                              "stay Pending {}",
                              Quoted(pool.value), Counted(pods, "pod"), fill, topology,
                              Counted(slice.hosts, "host"), slice.pods, pods - slice.pods,
                              HowLong(subject.pods.scale)),
       .change = fmt::format("remove it, so that each slice gets a node pool of its own{}",
                             OneSlice(subject.pods.scale, slice.pods)),
       .decision = kDecision});
}

void ReportSum(const Subject& subject, const RequiredLabel& pool, const Slice& slice,
               const Sum& sum, Report& report) {
  const std::string chips = Counted(slice.topology.chips(), "chip");
  report.Add(
      {.pointer = subject.At(pool),
       .part = std::string(workload::kGkeNodePool),
       .summary = fmt::format("one node pool of {} cannot hold pods for {}", slice.topology.Text(),
                              Counted(sum.chips, "chip")),
       .problem = fmt::format(
           "is {}, which {} selects too: together they ask for {}. In GKE a node pool of {} "
           "is exactly one slice, {} on {}, and gets no more nodes: the pods that find no "
           "place stay Pending {}",
           Quoted(pool.value), NameOf(*sum.other), Counted(sum.chips, "chip"),
           slice.topology.Text(), chips, Counted(slice.hosts, "host"), HowLong(subject.pods.scale)),
       .change = "name a node pool of its own for each slice, or remove it",
       .decision = kDecision});
}

void ReportOtherNodes(const Subject& subject, const RequiredLabel& pool, const PodSet& other,
                      Report& report) {
  const Nodes own = *NodesOf(subject, subject.pods);
  const Nodes others = *NodesOf(subject, other);
  const bool is_topology = own.generation == others.generation;
  report.Add({.pointer = subject.At(pool),
              .part = std::string(workload::kGkeNodePool),
              .summary = fmt::format("one node pool cannot be both {} and {}",
                                     is_topology ? others.topology : others.generation,
                                     is_topology ? own.topology : own.generation),
              .problem = fmt::format(
                  "is {}, which {} selects too, for {}; these pods are for {}. The nodes of a pool "
                  "are all of one kind, so one of the two never starts.",
                  Quoted(pool.value), NameOf(other), others.Text(), own.Text()),
              .change = "name a node pool of its own for each, or remove it",
              .decision = kDecision});
}

void Check(const Subject& subject, Report& report) {
  const auto pool = workload::FindRequired(subject.pods.pod.spec, workload::kGkeNodePool);
  if (!pool || !pool->fixed || !subject.pods.scale.is_counted()) return;
  if (subject.cluster.platform == Platform::kSelfManaged || subject.pods.SliceTopology()) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || subject.shape.generation->dynamic_slicing) return;
  // Kueue may begin the Job with fewer pods.
  if (subject.workload.metadata.annotations.Has(workload::kKueueMinParallelism)) return;
  if (const PodSet* other = OtherNodesOf(subject, pool->value)) {
    return ReportOtherNodes(subject, *pool, *other, report);
  }
  if (!slice->multi_host()) return;
  // Pods of other chips than a host has fill no slices: chips-per-host speaks of them.
  if (subject.pods.chips_per_pod * slice->pods != slice->topology.chips()) return;
  const std::int64_t pods = subject.pods.scale.all_tpu_pods().value_or(0);
  if (pods > slice->pods) {
    if (!AllSelect(subject, pool->value)) return;
    return ReportSlices(subject, *pool, *slice, pods, report);
  }
  const Sum sum = pods > 0 ? SumOf(subject, pool->value, *slice) : Sum();
  if (sum.other == nullptr || !sum.is_last || sum.chips <= slice->topology.chips()) return;
  ReportSum(subject, *pool, *slice, sum, report);
}

}  // namespace tpu417

const Rule kTPU417 = {
    .id = "TPU417",
    .name = "pool-of-one-slice",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu417::Check,
    .keeps_pending = true,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
