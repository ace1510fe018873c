#include "rules/engine/suggestions.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::Counting;
using workload::NodeLabel;

bool Counts(const workload::Scale& scale) {
  return scale.counting != Counting::kNone && scale.counting != Counting::kElsewhere;
}

// The pods of one slice as written; 1 where each stands alone, 0 if that is not known.
std::int64_t FoundPodsOf(const Subject& subject) {
  const workload::Scale& scale = subject.pods.scale;
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

// Of the chips of a host those that a container may ask for, the most first.
std::vector<std::int64_t> ChipsOn(const tpu::Generation& generation, std::int64_t host) {
  if (!generation.node_can_be_split()) return {host};
  std::vector<std::int64_t> chips;
  for (const std::int64_t part : generation.container_chips) {
    if (part <= host && host % part == 0) chips.push_back(part);
  }
  std::sort(chips.rbegin(), chips.rend());
  return chips.empty() ? std::vector{host} : chips;
}

// What a manifest must change beside its topology to fill a placement; 0: it stays.
struct Companions {
  std::int64_t chips = 0;
  std::int64_t pods = 0;
  bool none() const { return chips == 0 && pods == 0; }
};

Companions CompanionsOf(const Subject& subject, const tpu::Placement& placement) {
  Companions needed;
  std::int64_t chips = subject.pods.chips_per_pod;
  const std::vector<std::int64_t> possible =
      ChipsOn(*subject.shape.generation, placement.chips_per_host());
  if (chips == 0 || std::find(possible.begin(), possible.end(), chips) == possible.end()) {
    if (subject.pods.use == workload::TpuUse::kChips) needed.chips = possible.front();
    chips = possible.front();
  }
  const std::int64_t pods = placement.topology.chips() / chips;
  if (Counts(subject.pods.scale) && !IsCount(subject, pods)) needed.pods = pods;
  return needed;
}

// "parallelism and completions 4"
std::string CountOf(const workload::Scale& scale, std::int64_t pods) {
  switch (scale.counting) {
    case Counting::kJob:
      return fmt::format("parallelism and completions {}", pods);
    case Counting::kGroup:
      if (scale.sub_group > 0) return fmt::format("subGroupSize {}", pods);
      return fmt::format("size {}", pods + scale.leaders_without_tpus);
    case Counting::kTogether:
      return fmt::format("{} replicas with TPUs together", pods);
    default:
      return fmt::format("{} {}", scale.pods.field, pods);
  }
}

std::string Text(const Subject& subject, const tpu::Placement& placement) {
  const Companions needed = CompanionsOf(subject, placement);
  const std::string name = placement.topology.Text();
  if (needed.none()) return name;
  const std::string chips = needed.chips > 0 ? fmt::format("google.com/tpu {}", needed.chips) : "";
  const std::string pods = needed.pods > 0 ? CountOf(subject.pods.scale, needed.pods) : "";
  return fmt::format("{} (with {}{}{})", name, chips,
                     !chips.empty() && !pods.empty() ? " and " : "", pods);
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
  return (!machine.fixed() || placement.machine->name == machine.value) &&
         (!count.fixed() || WholeNumber(count.value) == placement.chips_per_host());
}

std::vector<tpu::Placement> Candidates(const Subject& subject) {
  const tpu::Generation& generation = *subject.shape.generation;
  std::vector<tpu::Placement> all = generation.placements;
  if (const auto& custom = generation.custom) {
    for (const tpu::Topology& example : custom->examples) {
      for (const tpu::Placement& p : generation.PlacementsOf(example)) all.push_back(p);
    }
  }
  std::vector<tpu::Placement> selectable;
  for (const tpu::Placement& p : all) {
    if (IsSelectable(subject, p)) selectable.push_back(p);
  }
  return selectable.empty() ? all : selectable;
}

// Each topology once, by its nearest placement.
std::vector<std::string> WithCompanions(const Subject& subject,
                                        const std::vector<tpu::Placement>& candidates) {
  std::vector<std::string> texts;
  std::vector<std::string> said;
  for (const tpu::Placement& candidate : candidates) {
    const std::string name = candidate.topology.Text();
    if (std::find(said.begin(), said.end(), name) != said.end()) continue;
    said.push_back(name);
    texts.push_back(Text(subject, candidate));
  }
  return texts;
}

}  // namespace

std::vector<std::int64_t> PossibleChips(const Subject& subject) {
  std::vector<std::int64_t> counts;
  for (const tpu::MachineType* machine : subject.shape.machines()) {
    if (!subject.shape.generation->node_can_be_split()) counts.push_back(machine->chips);
    for (const std::int64_t part : subject.shape.generation->container_chips) {
      if (part <= machine->chips) counts.push_back(part);
    }
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::string JoinNumbers(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> words;
  for (const std::int64_t number : numbers) words.push_back(std::to_string(number));
  return JoinOr(words);
}

std::string ChipsChange(const Subject& subject, std::string_view what) {
  const auto set = [&](const std::string& chips) {
    return fmt::format("set {} of google.com/tpu to {}", what, chips);
  };
  if (subject.shape.generation == nullptr) return set("the chips of one host");
  const tpu::PlacementList& placements = subject.shape.placements;
  const bool one_shape = !placements.empty() && !subject.pods.SliceTopology();
  if (!one_shape) return set(JoinNumbers(PossibleChips(subject)));
  const std::int64_t slice = placements.front().topology.chips();
  for (const tpu::Placement& placement : placements) {
    for (const std::int64_t chips :
         ChipsOn(*subject.shape.generation, placement.chips_per_host())) {
      if (FoundPodsOf(subject) > 0 && IsCount(subject, slice / chips)) {
        return set(std::to_string(chips));
      }
    }
  }
  if (!Counts(subject.pods.scale)) return set(JoinNumbers(PossibleChips(subject)));
  // Pods on single hosts need not be of a number.
  const std::int64_t host = placements.front().chips_per_host();
  const bool alone = host == slice && subject.pods.scale.counting != Counting::kPerSlice;
  const std::string chips = set(std::to_string(host));
  return alone ? chips
               : fmt::format("{}, and {}", chips, CountChange(subject.pods.scale, slice / host));
}

std::vector<std::string> FilledBy(const Subject& subject,
                                  const std::vector<tpu::Placement>& candidates) {
  const bool alone = subject.pods.scale.counting == Counting::kNone &&
                     subject.pods.use == workload::TpuUse::kChips;
  std::vector<std::string> names;
  for (const tpu::Placement& candidate : candidates) {
    if (!CompanionsOf(subject, candidate).none()) continue;
    if (alone && !candidate.single_host()) continue;
    const std::string name = candidate.topology.Text();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> NearestTopologies(const Subject& subject, std::int64_t wished_chips) {
  constexpr std::size_t kMost = 3;
  std::vector<tpu::Placement> candidates = Candidates(subject);
  const std::int64_t pod_chips = subject.pods.chips_per_pod;
  std::stable_sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    return Distance(a, pod_chips, wished_chips) < Distance(b, pod_chips, wished_chips);
  });
  std::vector<std::string> names = FilledBy(subject, candidates);
  if (names.empty()) names = WithCompanions(subject, candidates);
  names.resize(std::min(names.size(), kMost));
  if (names.empty()) names.emplace_back("one that it has");  // a generation without placements
  return names;
}

std::int64_t WishedChips(const Subject& subject) {
  const workload::Scale& scale = subject.pods.scale;
  const std::int64_t pods = scale.counting == Counting::kNone ? 1 : scale.tpu_pods.value_or(0);
  return pods > 0 && pods < 1'000'000 ? pods * subject.pods.chips_per_pod : 0;
}

}  // namespace tpu_admission::rules
