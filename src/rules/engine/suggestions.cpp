#include "rules/engine/suggestions.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "rules/engine/pathways.h"
#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"

namespace tpu_admission::rules {
namespace {

using workload::Counting;
using workload::NodeLabel;

// The scale of the pods that fill a slice: this set's, or that of the one that counts for it.
const workload::Scale& ScaleOf(const Subject& subject) {
  const workload::PodSet* const counted_by = subject.pods.scale.counted_by;
  return counted_by == nullptr ? subject.pods.scale : counted_by->scale;
}

// The pods of one slice as written; 1 where each stands alone, 0 if that is not known.
std::int64_t FoundPodsOf(const Subject& subject) {
  const workload::Scale& scale = ScaleOf(subject);
  if (scale.counting == Counting::kNone) return 1;
  if (scale.counting == Counting::kElsewhere) return 0;
  return std::max<std::int64_t>(0, scale.tpu_pods.value_or(0));
}

bool IsCount(const Subject& subject, std::int64_t wanted) {
  const std::int64_t found = FoundPodsOf(subject);
  if (found == 0 || wanted == 0) return true;
  if (subject.pods.scale.counting == Counting::kReplicas) return found % wanted == 0;
  return found == wanted;
}

// The pods of other replicated jobs fill slices of so many with these.
bool IsPartOf(const Subject& subject, std::int64_t wanted) {
  if (wanted < 2 || subject.has_node_pool_of_its_own()) return false;
  return PodsWithOthers(subject.workload, subject.pods, wanted).value_or(1) % wanted == 0;
}

// The chips of an init container, which hands them on, do not fit a host with so many.
bool IsOffHost(const Subject& subject, const k8s::Container& container, std::int64_t host) {
  if (container.Stays() || !workload::UsesTpu(container)) return false;
  const std::int64_t chips = ChipsOf(container).value_or(0);
  return subject.shape.generation->node_can_be_split() ? chips > host : chips != host;
}

// Sets the chips of `container`, and of the init containers that do not fit the host with it.
void SetChipsOn(const Subject& subject, const k8s::Container& container, std::int64_t host,
                std::int64_t chips, Finding& finding) {
  SetChips(subject.pods, container, chips, finding.edits);
  for (const k8s::Container& other : subject.pods.pod.spec.containers) {
    if (&other == &container || !IsOffHost(subject, other, host)) continue;
    SetChips(subject.pods, other, chips, finding.edits);
    finding.change += fmt::format("; {} gets the same chips", Title(other));
  }
}

// What other containers of the pod hold of a host that is shared: all that stay, but of what comes
// after an init container, which hands its chips on.
std::int64_t HeldByOthers(const Subject& subject, const k8s::Container& container) {
  std::int64_t held = 0;
  if (!subject.shape.generation->node_can_be_split()) return held;
  for (const k8s::Container& other : subject.pods.pod.spec.containers) {
    if (&other == &container && !container.Stays()) break;
    if (&other != &container && other.Stays()) held += ChipsOf(other).value_or(0);
  }
  return held;
}

// What a manifest must change beside its topology to fill a placement; 0: it stays.
struct Companions {
  std::int64_t chips = 0;
  std::int64_t pods = 0;
  bool with_leader = false;  // which is one of the pods then
  bool none() const { return chips == 0 && pods == 0; }
};

// Whether the leader of a group, which has chips of other nodes now, selects this topology: with it
// the workers fill slices together with their leader.
bool JoinsLeader(const Subject& subject, const tpu::Topology& topology) {
  if (!subject.pods.scale.leader_has_others) return false;
  const workload::PodSet* const leader = workload::LeaderOf(subject.workload.pod_sets);
  if (leader == nullptr || leader->nodes.choices.size() != 1) return false;
  const workload::NodeChoice& choice = leader->nodes.choices.front();
  return choice[NodeLabel::kAccelerator].value == subject.shape.accelerator() &&
         tpu::Topology::Parse(choice[NodeLabel::kTopology].value) == topology;
}

// Pods on single hosts are as many as they are, where only the topology's ones are too many or few.
bool KeepsSingleHosts(const Subject& subject, const tpu::Placement& placement) {
  const auto& written = subject.shape.topology;
  return written && placement.single_host() && subject.pods.scale.counting != Counting::kPerSlice &&
         tpu::AsOffered(*subject.shape.generation, *written) == placement.topology;
}

Companions CompanionsOf(const Subject& subject, const tpu::Placement& placement) {
  Companions needed;
  needed.with_leader = JoinsLeader(subject, placement.topology);
  std::int64_t chips = subject.pods.chips_per_pod;
  const std::vector<std::int64_t> possible =
      subject.shape.generation->ChipsOn(placement.chips_per_host());
  const auto containers = subject.pods.pod.spec.containers;
  const bool all_fit = std::none_of(containers.begin(), containers.end(), [&](const auto& one) {
    return IsOffHost(subject, one, placement.chips_per_host());
  });
  if (chips == 0 || !all_fit ||
      std::find(possible.begin(), possible.end(), chips) == possible.end()) {
    if (subject.pods.use == workload::TpuUse::kChips) needed.chips = possible.front();
    chips = possible.front();
  }
  const std::int64_t pods = placement.topology.chips() / chips;
  const workload::Scale& scale = subject.pods.scale;
  // Pods that take parts of a single host share it or not: fewer than fill it are not wrong.
  const bool are_parts = placement.single_host() && needed.chips == 0;
  if (are_parts && scale.counting == Counting::kJob && FoundPodsOf(subject) < pods) return needed;
  const bool agrees = needed.with_leader ? scale.pods.value == pods : IsCount(subject, pods);
  const bool stays = agrees || (needed.chips == 0 && KeepsSingleHosts(subject, placement));
  if (scale.is_counted() && !stays) needed.pods = pods;
  return needed;
}

// How far a topology is from what is asked for: first the hosts' chips, then the size.
double Distance(const tpu::Placement& placement, std::int64_t pod_chips, std::int64_t wished) {
  double distance = 0;
  if (pod_chips > 0 && placement.chips_per_host() != pod_chips) distance += 100;
  if (wished > 0) {
    distance += std::abs(std::log2(double(placement.topology.chips()) / double(wished)));
  }
  return distance;
}

// What else the manifest selects leaves the placement.
bool IsSelectable(const Subject& subject, const tpu::Placement& placement) {
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  if (autopilot ? !placement.autopilot : !placement.standard) return false;
  if (placement.single_host() && !placement.machine->single_host) return false;
  const workload::NodeChoice& choice = subject.shape.choice;
  const workload::Selected& machine = choice[NodeLabel::kMachineType];
  const workload::Selected& count = choice[NodeLabel::kAcceleratorCount];
  return TakesMachine(subject, placement.machine->name) &&
         (!machine.fixed() || HasRefusedType(subject) ||
          placement.machine->name == machine.value) &&
         (!count.fixed() || WholeNumber(count.value) == placement.chips_per_host());
}

// Among those that are equally near, the same dimensions in another order come first.
std::vector<tpu::Placement> Candidates(const Subject& subject, std::int64_t wished_chips) {
  const tpu::Generation& generation = *subject.shape.generation;
  std::vector<tpu::Placement> all;
  const auto add = [&](const tpu::Topology& topology) {
    if (generation.OfferOf(topology).offer != tpu::Offer::kOffered) return;
    for (const tpu::Placement& p : generation.PlacementsOf(topology)) all.push_back(p);
  };
  if (subject.shape.topology) add(subject.shape.topology->Rising());
  all.insert(all.end(), generation.placements.begin(), generation.placements.end());
  if (const auto& custom = generation.custom) {
    for (const tpu::Topology& example : custom->examples) add(example);
  }
  const std::vector<tpu::Topology> shapes = generation.CustomShapesOf(wished_chips);
  if (!shapes.empty()) add(shapes.back());  // of all, the one with the shortest ways
  std::vector<tpu::Placement> selectable = all;
  std::erase_if(selectable, [&](const tpu::Placement& p) { return !IsSelectable(subject, p); });
  return selectable.empty() ? all : selectable;
}

// The pods fill it as they are.
bool IsFilled(const Subject& subject, const tpu::Placement& placement) {
  const bool alone = subject.pods.scale.counting == Counting::kNone &&
                     subject.pods.use == workload::TpuUse::kChips;
  return CompanionsOf(subject, placement).none() && (!alone || placement.single_host());
}

// The topologies of the generation that the other labels leave: what the pods fill as they are
// first, then what comes nearest to `wished_chips` chips (if known), on hosts with the chips that a
// pod asks for (if any are).
std::vector<tpu::Placement> NearestFirst(const Subject& subject, std::int64_t wished_chips) {
  std::vector<tpu::Placement> candidates = Candidates(subject, wished_chips);
  const std::int64_t pod_chips = subject.pods.chips_per_pod;
  std::stable_sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    return Distance(a, pod_chips, wished_chips) < Distance(b, pod_chips, wished_chips);
  });
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](const tpu::Placement& p) { return IsFilled(subject, p); });
  // Where nobody has said how many pods there are, the shape was meant that is only spelt in
  // another way; and where slices of one pod each have its chips together.
  const workload::Scale& scale = subject.pods.scale;
  const auto& written = subject.shape.topology;
  const bool are_its_hosts = written && scale.counting == Counting::kPerSlice &&
                             scale.tpu_pods == 1 &&
                             pod_chips * scale.slices.value.value_or(0) == written->chips();
  if (written && scale.is_counted() && (!scale.pods.written || are_its_hosts)) {
    const auto meant = tpu::AsOffered(*subject.shape.generation, *written);
    std::stable_partition(candidates.begin(), candidates.end(),
                          [&](const tpu::Placement& p) { return p.topology == meant; });
  }
  return candidates;
}

// Where the replicas of several templates fill a slice together, somebody must divide them.
void SuggestTogether(const Subject& subject, const k8s::Container& container, std::int64_t slice,
                     Finding& finding) {
  const std::int64_t host = subject.shape.placements.front().chips_per_host();
  SetChipsOn(subject, container, host, host, finding);
  finding.change =
      fmt::format("{}{}, and let the replicas with TPUs be {}{}", SentenceOf(finding.edits),
                  finding.change, slice / host, ScaleOf(subject).shared ? " together" : "");
  finding.edits.clear();  // the chips alone would be more of them
  finding.decision = "which of the replicas are to be fewer";
}

// What a host that is shared has left beside what others hold: all of it, if they may have that.
template <typename Set, typename Choose>
void SuggestRest(const Subject& subject, std::int64_t held, std::vector<std::int64_t> possible,
                 Set set, Choose choose) {
  const std::int64_t left = LargestHost(subject) - held;
  std::erase_if(possible, [&](std::int64_t chips) { return chips > left; });
  if (possible.empty()) return choose("fewer, for the others hold all chips of a host");
  if (possible.back() == left) return set(left);
  choose(JoinNumbers(possible));
}

// Other pods or other chips are more or fewer chips in all, which is said, unless another number of
// slices makes up for it.
void KeepAllChips(const Subject& subject, const Companions& needed, Finding& finding) {
  const workload::Scale& scale = subject.pods.scale;
  const std::int64_t before = WishedChips(subject);
  const std::int64_t pods = needed.pods > 0 ? needed.pods : FoundPodsOf(subject);
  const std::int64_t after = pods * (needed.chips > 0 ? needed.chips : subject.pods.chips_per_pod);
  constexpr std::int64_t kMost = 1'000'000'000;  // of each factor
  const bool is_known = std::min(before, after) > 0 && std::max(before, after) <= kMost;
  if (!is_known || before == after || needed.with_leader) return;
  const bool are_slices = !scale.slices.field.empty() && scale.slices.value.value_or(0) > 0 &&
                          !scale.slices_may_change && scale.sub_group == 0;
  const std::int64_t slices = are_slices ? *scale.slices.value : 1;
  const std::int64_t all = slices * before;
  // A leader on other nodes would be as many more.
  const bool may_be_more = are_slices && !scale.leader_has_others;
  if (may_be_more && all % after == 0) return SetSlices(scale, all / after, finding.edits);
  finding.change += fmt::format(" ({} become {})", Counted(all, "chip"), slices * after);
}

}  // namespace

void SuggestChips(const Subject& subject, const k8s::Container& container, Finding& finding) {
  const auto set = [&](std::int64_t chips) {
    SetChipsOn(subject, container, LargestHost(subject), chips, finding);
  };
  const auto choose = [&](const std::string& chips) {
    finding.change = "set requests and limits of google.com/tpu to " + chips;
    finding.decision = "how many chips a container is to have";
  };
  if (subject.shape.generation == nullptr) return choose("the chips of one host");
  const tpu::PlacementList& placements = subject.shape.placements;
  const std::vector<std::int64_t> possible = PossibleChips(subject);
  const bool one_shape = !placements.empty() && !subject.pods.SliceTopology();
  const workload::Scale& scale = subject.pods.scale;
  const k8s::Container* const taker = container.Stays() ? nullptr : ChipContainer(subject.pods);
  if (taker != nullptr && taker != &container && taker->Stays()) {
    const std::int64_t taken = ChipsOf(*taker).value_or(0);
    if (IsPossible(subject, taken)) return set(taken);
  }
  if (const std::int64_t held = HeldByOthers(subject, container); held > 0) {
    return SuggestRest(subject, held, possible, set, choose);
  }
  if (one_shape) {
    const std::int64_t slice = placements.front().topology.chips();
    for (const tpu::Placement& placement : placements) {
      for (const std::int64_t chips :
           subject.shape.generation->ChipsOn(placement.chips_per_host())) {
        const std::int64_t pods = slice / chips;
        if (FoundPodsOf(subject) > 0 && (IsCount(subject, pods) || IsPartOf(subject, pods))) {
          return set(chips);
        }
      }
    }
    const bool together = ScaleOf(subject).counting == Counting::kTogether;
    if (together && placements.front().multi_host()) {
      return SuggestTogether(subject, container, slice, finding);
    }
    if (scale.is_counted() && !together) {
      const std::int64_t host = placements.front().chips_per_host();
      set(host);
      // Pods on single hosts need not be of a number.
      const bool alone = host == slice && scale.counting != Counting::kPerSlice;
      if (!alone) SetPods(scale, slice / host, finding.edits);
      return;
    }
  }
  if (possible.size() == 1) return set(possible.front());
  choose(JoinNumbers(possible));
}

std::vector<std::string> FilledBy(const Subject& subject,
                                  const std::vector<tpu::Placement>& candidates) {
  std::vector<std::string> names;
  for (const tpu::Placement& candidate : candidates) {
    if (!IsFilled(subject, candidate)) continue;
    const std::string name = candidate.topology.Text();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

void SuggestTopology(const Subject& subject, std::int64_t wished_chips, Finding& finding) {
  constexpr std::size_t kMostOthers = 2;
  const std::vector<tpu::Placement> candidates = NearestFirst(subject, wished_chips);
  const Companions needed =
      candidates.empty() ? Companions() : CompanionsOf(subject, candidates.front());
  const k8s::Container* const container = ChipContainer(subject.pods);
  const bool other_type = HasRefusedType(subject);  // which keeps the chips, or is not proposed
  if (candidates.empty() || (needed.chips > 0 && container == nullptr) ||
      (other_type && candidates.front().topology.chips() != wished_chips) ||
      (needed.pods > 0 && subject.pods.scale.counting == Counting::kTogether)) {
    finding.change =
        fmt::format("set {} to one that it has", FieldOf(subject, NodeLabel::kTopology));
    finding.decision = "which topology is meant";
    return;
  }
  finding.edits = Selecting(subject, NodeLabel::kTopology, candidates.front().topology.Text());
  const workload::Edits levels = LevelsWithin(subject, candidates.front().topology);
  finding.edits.insert(finding.edits.end(), levels.begin(), levels.end());
  for (auto& edit : TypeFor(subject, candidates.front())) finding.edits.push_back(std::move(edit));
  if (needed.chips > 0) {
    SetChipsOn(subject, *container, candidates.front().chips_per_host(), needed.chips, finding);
  }
  if (needed.pods > 0) {
    workload::Scale scale = subject.pods.scale;
    if (needed.with_leader) scale.leaders_without_tpus = 0;
    SetPods(scale, needed.pods, finding.edits);
  }
  KeepAllChips(subject, needed, finding);
  if (std::vector<std::string> others = FilledBy(subject, candidates);
      others.size() > 1 && !other_type) {
    others.erase(others.begin());
    others.resize(std::min(others.size(), kMostOthers));
    finding.change += ", or take " + JoinOr(others);
  }
  // For a topology that nobody wrote no other number of chips is written.
  if (subject.shape.topology || needed.pods == 0 || wished_chips <= 0 ||
      candidates.front().topology.chips() == wished_chips) {
    return;
  }
  finding.change = finding.Change();
  finding.edits.clear();
  finding.decision = "which topology is meant";
}

bool SuggestHosts(const Subject& subject, Finding& finding) {
  const k8s::Container* const container = ChipContainer(subject.pods);
  if (container == nullptr || !subject.shape.topology) return false;
  for (const tpu::Placement& placement :
       subject.shape.generation->PlacementsOf(*subject.shape.topology)) {
    if (!IsSelectable(subject, placement)) continue;
    Companions needed = CompanionsOf(subject, placement);
    if (needed.chips == 0) continue;
    // Pods that fill one slice fill no more than one on other hosts.
    if (subject.pods.scale.counting == Counting::kReplicas) {
      const std::int64_t pods = placement.topology.chips() / needed.chips;
      if (FoundPodsOf(subject) != pods) needed.pods = pods;
    }
    if (needed.pods > 0 && subject.pods.scale.counting == Counting::kTogether) continue;
    SetChipsOn(subject, *container, placement.chips_per_host(), needed.chips, finding);
    if (needed.pods > 0) SetPods(subject.pods.scale, needed.pods, finding.edits);
    return true;
  }
  return false;
}

bool SuggestAccelerator(const Subject& subject, const tpu::Generation& other, Finding& finding) {
  Shape shape = subject.shape;
  shape.generation = &other;
  const Subject there{subject.workload, subject.pods, subject.catalog, subject.cluster, shape};
  const tpu::PlacementList placements = other.PlacementsOf(*shape.topology);
  const bool fills = std::any_of(placements.begin(), placements.end(), [&](const auto& placement) {
    return IsSelectable(there, placement) && IsFilled(there, placement);
  });
  if (fills) finding.edits = Selecting(subject, NodeLabel::kAccelerator, other.label);
  return fills;
}

std::int64_t WishedChips(const Subject& subject) {
  const workload::Scale& scale = ScaleOf(subject);
  const std::int64_t pods = scale.counting == Counting::kNone ? 1 : scale.tpu_pods.value_or(0);
  return pods > 0 && pods < 1'000'000 ? pods * subject.pods.chips_per_pod : 0;
}

}  // namespace tpu_admission::rules
