#include <fmt/core.h>
#include <algorithm>
#include <set>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu111 {

using workload::NodeLabel;

std::vector<std::string> Possible(const Subject& subject) {
  std::set<std::int64_t> chips;
  for (const tpu::MachineType* machine : subject.shape.machines()) chips.insert(machine->chips);
  std::vector<std::string> words;
  for (const std::int64_t number : chips) words.push_back(std::to_string(number));
  return words;
}

// Where several are possible, the chips of the pod say which.
void Suggest(const Subject& subject, Finding& finding) {
  const std::vector<std::string> possible = Possible(subject);
  const std::string chips = std::to_string(subject.pods.chips_per_pod);
  const bool fits = std::find(possible.begin(), possible.end(), chips) != possible.end();
  if (fits || possible.size() == 1) {
    finding.edits =
        Selecting(subject, NodeLabel::kAcceleratorCount, fits ? chips : possible.front());
    return;
  }
  finding.change = SelectorChange(subject, NodeLabel::kAcceleratorCount,
                                  possible.empty() ? "the chips of one node" : JoinOr(possible));
  finding.decision = "which nodes are meant";
}

Finding NoNumber(const Subject& subject, const std::string& value) {
  Finding finding = {
      .pointer = subject.At(NodeLabel::kAcceleratorCount),
      .summary = fmt::format("the chips of a node are given as {}, which is no number", value),
      .problem =
          fmt::format("is {}, which is no whole number. It stands for the chips of one node. {}",
                      value, NoSuchNode(subject))};
  Suggest(subject, finding);
  return finding;
}

// Some sources have such nodes.
Finding OfDisputedHost(const Subject& subject, const tpu::DisputedHost& host) {
  const std::string known = JoinOr(Possible(subject));
  return {.pointer = subject.At(NodeLabel::kAcceleratorCount),
          .summary = fmt::format("{} a node of {}: {}", Counted(host.chips, "chip"),
                                 Name(subject.shape), host.dispute),
          .problem = fmt::format("is {}, and sources disagree whether {} has a node with so many "
                                 "chips: {}. The nodes that all know have {}.",
                                 host.chips, Name(subject.shape), host.dispute, known),
          .change = fmt::format("keep {} if your nodes have {}; else set it to {}", host.chips,
                                host.chips, known),
          .decision = "how many chips your nodes have",
          .milder = Mode::kWarn};
}

Finding NotOfTheMachines(const Subject& subject, std::int64_t count) {
  const std::string chips = JoinOr(Possible(subject));
  const std::string shape = NameOfNodes(subject.shape);
  const bool undocumented =
      std::any_of(subject.shape.generation->machines.begin(),
                  subject.shape.generation->machines.end(), [&](const tpu::MachineType& machine) {
                    return machine.chips == count && !machine.documented;
                  });
  Finding finding = {
      .pointer = subject.At(NodeLabel::kAcceleratorCount),
      .summary =
          fmt::format("no node of {} has {}, they have {}", shape, Counted(count, "chip"), chips),
      .problem = fmt::format("is {}, but a node of {} has {} chips. The value stands for the "
                             "chips of one node, not of the slice. {}",
                             count, shape, chips, NoSuchNode(subject)),
      .milder = undocumented ? std::optional(Mode::kWarn) : std::nullopt};
  Suggest(subject, finding);
  return finding;
}

bool IsOfSomeMachine(const tpu::Catalog& catalog, std::int64_t chips) {
  const auto generations = catalog.generations();
  return std::any_of(generations.begin(), generations.end(), [&](const auto& generation) {
    return std::any_of(generation.machines.begin(), generation.machines.end(),
                       [&](const tpu::MachineType& machine) { return machine.chips == chips; });
  });
}

// No generation is selected that could say more.
Finding OfNoMachine(const Subject& subject, std::int64_t count) {
  return {.pointer = subject.At(NodeLabel::kAcceleratorCount),
          .summary = fmt::format("no TPU node that is known has {}", Counted(count, "chip")),
          .problem = fmt::format("is {}, and no machine of the TPU catalog has so many chips. The "
                                 "value stands for the chips of one node, not of the slice. Unless "
                                 "such machines are new, no node carries this label.",
                                 count),
          .change = SelectorChange(subject, NodeLabel::kAcceleratorCount, "the chips of one node"),
          .decision = "which nodes are meant",
          .milder = Mode::kWarn};
}

// "set requests and limits of google.com/tpu to 4"
std::string ToFit(const Subject& subject, std::int64_t count) {
  const auto containers = subject.pods.pod.spec.containers;
  const auto holders = std::count_if(containers.begin(), containers.end(), workload::UsesTpu);
  return holders == 1
             ? fmt::format("set requests and limits of google.com/tpu to {}", count)
             : fmt::format("let the containers ask for {} together", Counted(count, "chip"));
}

// Where the generation is known, chips-per-host says this.
Finding TooFewForThePod(const Subject& subject, std::int64_t count) {
  const std::int64_t chips = subject.pods.chips_per_pod;
  const std::string wider =
      IsOfSomeMachine(subject.catalog, chips)
          ? ", or " + SelectorChange(subject, NodeLabel::kAcceleratorCount, std::to_string(chips))
          : "";
  return {.pointer = subject.At(NodeLabel::kAcceleratorCount),
          .summary = fmt::format("the pod asks for {} and selects nodes that have {}",
                                 Counted(chips, "chip"), count),
          .problem = fmt::format(
              "selects nodes with {}, but the pod asks for {}. It never fits on one of them.",
              Counted(count, "chip"), chips),
          .change = ToFit(subject, count) + wider,
          .decision = "which of the two numbers is meant"};
}

// The machine that is selected by its name as well, where it serves the topology; else its own rule
// tells.
const tpu::MachineType* Named(const Shape& shape) {
  const workload::Selected& name = shape.choice[NodeLabel::kMachineType];
  if (!name.fixed()) return nullptr;
  const tpu::MachineType* const machine = shape.generation->FindMachine(name.value);
  if (machine == nullptr || !shape.topology) return machine;
  for (const tpu::Placement& placement : shape.generation->PlacementsOf(*shape.topology)) {
    if (placement.machine == machine) return machine;
  }
  return nullptr;
}

// The two selectors name nodes that are not the same; the chips of the pod say which are meant.
Finding OtherThanTheMachine(const Subject& subject, std::int64_t count,
                            const tpu::MachineType& named) {
  const std::int64_t asked = subject.pods.chips_per_pod;
  const auto machines = subject.shape.machines();
  const auto other = std::find_if(machines.begin(), machines.end(),
                                  [&](const auto* each) { return each->chips == count; });
  Finding finding = {
      .pointer = subject.At(NodeLabel::kAcceleratorCount),
      .summary = fmt::format("{} has {} and not the {} that gke-accelerator-count names",
                             named.name, Counted(named.chips, "chip"), count),
      .problem = fmt::format("is {}, but the machine type that is selected too, {}, has {}. The "
                             "value stands for the chips of one node. No node is both.",
                             count, named.name, Counted(named.chips, "chip")),
      .milder = named.documented ? std::nullopt : std::optional(Mode::kWarn)};
  if (asked == count) {
    finding.pointer = subject.At(NodeLabel::kMachineType);
    finding.problem = fmt::format(
        "is {}, a machine of {}, but nodes with {} are selected too, by "
        "the label of the chips of one node. No node is both.",
        named.name, Counted(named.chips, "chip"), count);
    finding.edits = Selecting(subject, NodeLabel::kMachineType, (*other)->name);
  } else if (asked == named.chips) {
    finding.edits = Selecting(subject, NodeLabel::kAcceleratorCount, std::to_string(named.chips));
  } else {
    finding.change = fmt::format(
        "{}, or {}",
        SelectorChange(subject, NodeLabel::kAcceleratorCount, std::to_string(named.chips)),
        SelectorChange(subject, NodeLabel::kMachineType, (*other)->name));
    finding.decision = "which nodes are meant";
  }
  return finding;
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& selected = subject.shape.choice[NodeLabel::kAcceleratorCount];
  if (!selected.fixed()) return;
  const std::optional<std::int64_t> count = WholeNumber(selected.value);
  if (!count) return report.Add(NoNumber(subject, Quoted(selected.value)));
  if (subject.shape.generation == nullptr) {
    const bool asks = subject.pods.use == workload::TpuUse::kChips;
    if (asks && subject.pods.chips_per_pod > *count) {
      report.Add(TooFewForThePod(subject, *count));
    } else if (!IsOfSomeMachine(subject.catalog, *count)) {
      report.Add(OfNoMachine(subject, *count));
    }
    return;
  }
  const auto machines = subject.shape.machines();
  const bool possible = std::any_of(machines.begin(), machines.end(),
                                    [&](const auto* machine) { return machine->chips == *count; });
  const tpu::MachineType* const named = Named(subject.shape);
  if (possible && named != nullptr && named->chips != *count) {
    return report.Add(OtherThanTheMachine(subject, *count, *named));
  }
  if (possible || machines.empty() || subject.shape.machine_is_unknown()) return;
  const std::int64_t asked = subject.pods.chips_per_pod;
  const tpu::DisputedHost* const disputed =
      asked == 0 || asked == *count ? subject.shape.DisputedHostOf(*count) : nullptr;
  report.Add(disputed != nullptr ? OfDisputedHost(subject, *disputed)
                                 : NotOfTheMachines(subject, *count));
}

}  // namespace tpu111

const Rule kTPU111 = {
    .id = "TPU111",
    .name = "accelerator-count",
    .mode = Mode::kDeny,
    .check = tpu111::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
