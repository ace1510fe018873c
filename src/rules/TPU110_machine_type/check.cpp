#include <fmt/core.h>
#include <algorithm>
#include <span>

#include "rules/engine/pathways.h"
#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu110 {

using workload::NodeLabel;

// The machines that serve the selected topology, or all of the generation if there is none; first
// those of which a pod takes the whole.
std::vector<std::string> Serving(const tpu::Generation& generation, const Subject& subject) {
  std::vector<const tpu::MachineType*> machines;
  if (subject.shape.topology) {
    for (const auto& placement : generation.PlacementsOf(*subject.shape.topology)) {
      machines.push_back(placement.machine);
    }
  }
  if (machines.empty()) {
    for (const tpu::MachineType& machine : generation.machines) {
      if (machine.documented || !generation.documented) machines.push_back(&machine);
    }
  }
  std::stable_partition(machines.begin(), machines.end(), [&](const tpu::MachineType* machine) {
    return machine->chips == subject.pods.chips_per_pod;
  });
  std::vector<std::string> names;
  for (const tpu::MachineType* machine : machines) {
    if (std::find(names.begin(), names.end(), machine->name) == names.end()) {
      names.push_back(machine->name);
    }
  }
  return names;
}

// The topologies that the machine serves, each once.
std::vector<std::string> Served(const tpu::Generation& generation,
                                const tpu::MachineType& machine) {
  std::vector<std::string> names;
  for (const tpu::Placement& placement : generation.placements) {
    if (placement.machine == &machine) names.push_back(placement.topology.Text());
  }
  return names;
}

Finding Unknown(const Subject& subject, std::string pointer, const std::string& value,
                std::string change) {
  return {.pointer = std::move(pointer),
          .summary = fmt::format("the catalog knows no TPU machine {}", value),
          .problem = fmt::format(
              "is {}, which the TPU catalog of {} does not know as a machine with TPUs. If it is a "
              "new one, this is no fault; else no node has it and TPUs as well.",
              value, subject.catalog.version()),
          .change = std::move(change),
          .decision = "which machine is meant",
          .milder = Mode::kWarn};
}

Finding OtherGeneration(const Subject& subject, std::string_view found, const tpu::Generation& of,
                        std::string pointer, workload::Edits edits) {
  const tpu::Generation& wanted = *subject.shape.generation;
  const bool in_class = subject.pods.row->form == workload::Form::kTpuPriority;
  const bool is_family = found.find('-') == found.npos;
  const std::string_view kind = is_family ? "a machine family" : "a machine";
  return {.pointer = std::move(pointer),
          .summary = fmt::format("{} is {} of {}, not of {}", found, kind, of.label, wanted.label),
          .problem = fmt::format("is {}, {} of {}, but the accelerator is {}. No node has both.",
                                 found, kind, of.name, wanted.label),
          .edits = std::move(edits),
          .change = in_class ? ", or leave it out"
                             : ", or remove it (accelerator and topology say which machine it is)"};
}

// Of the topologies that the machine serves, what the pods fill.
std::vector<std::string> FilledOf(const Subject& subject, const tpu::MachineType& machine) {
  std::vector<tpu::Placement> rows;
  for (const tpu::Placement& placement : subject.shape.generation->placements) {
    if (placement.machine == &machine) rows.push_back(placement);
  }
  return FilledBy(subject, rows);
}

Finding OtherTopology(const Subject& subject, const tpu::MachineType& machine) {
  const tpu::Generation& generation = *subject.shape.generation;
  const std::string topology = subject.shape.topology->Text();
  const std::vector<std::string> all = Serving(generation, subject);
  const std::string& serving = all.front();
  const auto taken = std::find_if(all.begin(), all.end(),
                                  [&](const auto& each) { return TakesMachine(subject, each); });
  const std::vector<std::string> filled = FilledOf(subject, machine);
  Finding finding = {
      .pointer = subject.At(NodeLabel::kMachineType),
      .summary =
          fmt::format("{} does not serve topology {}, {} does", machine.name, topology, serving),
      .problem = fmt::format(
          "is {}, a machine of {}, but a {} of {} is made of {}. No node has both.", machine.name,
          Counted(machine.chips, "chip"), topology, generation.label, serving),
      .milder = machine.documented ? std::nullopt : std::optional(Mode::kWarn)};
  if (taken != all.end()) {
    finding.edits = Selecting(subject, NodeLabel::kMachineType, *taken);
    if (!filled.empty()) {
      finding.change =
          fmt::format(", or {}", SelectorChange(subject, NodeLabel::kTopology, JoinOr(filled)));
    }
  } else if (!filled.empty()) {
    finding.edits = Selecting(subject, NodeLabel::kTopology, filled.front());
    if (filled.size() > 1) finding.change = ", or to " + JoinOr(std::span(filled).subspan(1));
  } else {
    finding.change = "select a topology that the machine serves";
    finding.decision = "which topology is meant";
  }
  return finding;
}

// A machine with as many chips that is taken and serves the topology; nothing if there is none.
workload::Edits OtherType(const Subject& subject, const tpu::MachineType& machine) {
  if (!subject.shape.topology) return {};
  for (const auto& placement : subject.shape.generation->PlacementsOf(*subject.shape.topology)) {
    const bool is_like = placement.machine->chips == machine.chips;
    if (is_like && TakesMachine(subject, placement.machine->name)) {
      return TypeFor(subject, placement);
    }
  }
  return {};
}

Finding NotTaken(const Subject& subject, const tpu::MachineType& machine) {
  std::vector<std::string> types;
  for (const std::string_view type : PathwaysTypes()) {
    if (subject.shape.generation->FindMachine(type) != nullptr) types.emplace_back(type);
  }
  workload::Edits edits = OtherType(subject, machine);
  const bool says_all = !edits.empty();
  return {.pointer = subject.At(NodeLabel::kMachineType),
          .summary = fmt::format("a PathwaysJob takes no {}", machine.name),
          .problem = fmt::format("is {}, a machine that GKE has, but not one of the types that a "
                                 "worker of a PathwaysJob may be of: the API server refuses it.",
                                 machine.name),
          .edits = std::move(edits),
          .change = says_all ? std::string()
                             : SelectorChange(subject, NodeLabel::kMachineType, JoinOr(types)),
          .decision = "which machine is meant",
          .milder = Mode::kWarn};
}

bool MayServe(const Subject& subject, const tpu::MachineType& machine) {
  const tpu::Generation& generation = *subject.shape.generation;
  if (!subject.shape.topology) return true;
  const tpu::PlacementList placements = generation.PlacementsOf(*subject.shape.topology);
  // Nobody says what a machine without a row is good for.
  return placements.empty() || Served(generation, machine).empty() ||
         std::any_of(placements.begin(), placements.end(),
                     [&](const auto& p) { return p.machine == &machine; });
}

void CheckMachine(const Subject& subject, Report& report) {
  const workload::Selected& selected = subject.shape.choice[NodeLabel::kMachineType];
  if (!selected.fixed()) return;
  const tpu::Generation* of = subject.catalog.FindByMachine(selected.value);
  const tpu::Generation* wanted = subject.shape.generation;
  if (of == nullptr) {
    const std::string known = wanted == nullptr ? "a machine type of `tpu-admission catalog`"
                                                : JoinOr(Serving(*wanted, subject));
    return report.Add(Unknown(subject, subject.At(NodeLabel::kMachineType), Quoted(selected.value),
                              SelectorChange(subject, NodeLabel::kMachineType, known)));
  }
  if (wanted == nullptr) return;
  if (of != wanted) {
    return report.Add(OtherGeneration(
        subject, selected.value, *of, subject.At(NodeLabel::kMachineType),
        Selecting(subject, NodeLabel::kMachineType, Serving(*wanted, subject).front())));
  }
  const tpu::MachineType& machine = *wanted->FindMachine(selected.value);
  if (!MayServe(subject, machine)) return report.Add(OtherTopology(subject, machine));
  if (!TakesMachine(subject, machine.name)) report.Add(NotTaken(subject, machine));
}

// What a label beside those that choose a node says, and what it says for the generation.
struct Beside {
  workload::RequiredLabel label;
  const tpu::Generation* of = nullptr;  // nullptr: of none that we know
  std::string right;
};

void CheckBeside(const Subject& subject, const Beside& beside, Report& report) {
  const workload::RequiredLabel& label = beside.label;
  if (beside.of == subject.shape.generation) return;
  if (beside.of == nullptr) {
    return report.Add(Unknown(subject, subject.At(label), Quoted(label.value),
                              fmt::format("set {} to {}", label.key, beside.right)));
  }
  report.Add(OtherGeneration(subject, label.value, *beside.of, subject.At(label),
                             Selecting(subject, label, beside.right)));
}

void Check(const Subject& subject, Report& report) {
  CheckMachine(subject, report);
  const tpu::Generation* const wanted = subject.shape.generation;
  if (wanted == nullptr) return;
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const auto family = workload::FindRequired(spec, workload::kGkeMachineFamily);
  if (family && family->fixed) {
    const auto* of = subject.catalog.FindByFamily(family->value);
    CheckBeside(subject, {*family, of, wanted->machine_family}, report);
  }
  const auto machine = workload::FindRequired(spec, workload::kBetaInstanceTypeLabel);
  if (machine && machine->fixed) {
    const auto* of = subject.catalog.FindByMachine(machine->value);
    CheckBeside(subject, {*machine, of, Serving(*wanted, subject).front()}, report);
  }
}

}  // namespace tpu110

const Rule kTPU110 = {
    .id = "TPU110",
    .name = "machine-type",
    .mode = Mode::kDeny,
    .check = tpu110::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
