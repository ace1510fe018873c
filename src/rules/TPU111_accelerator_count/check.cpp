#include <set>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

std::vector<std::string> Possible(const Subject& subject) {
  std::set<std::int64_t> chips;
  for (const tpu::MachineType* machine : subject.shape.machines()) chips.insert(machine->chips);
  std::vector<std::string> words;
  for (const std::int64_t number : chips) words.push_back(std::to_string(number));
  return words;
}

Finding NoNumber(const Subject& subject, const std::string& value) {
  return {
      .pointer = subject.At(NodeLabel::kAcceleratorCount),
      .container = "",
      .summary = "the chips of a node are given as " + value + ", which is no number",
      .problem = "is " + value +
                 ", which is no whole number. It stands for the chips of one node. " +
                 std::string(NoSuchNode(subject)),
      .change = SelectorChange(subject, NodeLabel::kAcceleratorCount,
                               subject.shape.generation == nullptr ? "the chips of one node"
                                                                   : JoinOr(Possible(subject)))};
}

Finding NotOfTheMachines(const Subject& subject, std::int64_t count) {
  const std::string chips = JoinOr(Possible(subject));
  const std::string shape = Name(subject.shape);
  const bool undocumented =
      std::any_of(subject.shape.generation->machines.begin(),
                  subject.shape.generation->machines.end(), [&](const tpu::MachineType& machine) {
                    return machine.chips == count && !machine.documented;
                  });
  return {
      .pointer = subject.At(NodeLabel::kAcceleratorCount),
      .container = "",
      .summary = "no node of " + shape + " has " + Count(count, "chip") + ", they have " + chips,
      .problem = "is " + std::to_string(count) + ", but a node of " + shape + " has " + chips +
                 " chips. The value stands for the chips of one node, not of the slice. " +
                 std::string(NoSuchNode(subject)),
      .change = SelectorChange(subject, NodeLabel::kAcceleratorCount, chips),
      .milder = undocumented ? std::optional(Mode::kWarn) : std::nullopt};
}

// Where the generation is known, chips-per-host says this.
Finding TooFewForThePod(const Subject& subject, std::int64_t count) {
  const std::int64_t chips = subject.pods.chips_per_pod;
  return {.pointer = subject.At(NodeLabel::kAcceleratorCount),
          .container = "",
          .summary = "the pod asks for " + Count(chips, "chip") + " and selects nodes that have " +
                     std::to_string(count),
          .problem = "selects nodes with " + Count(count, "chip") + ", but the pod asks for " +
                     std::to_string(chips) + ". It never fits on one of them.",
          .change = "set requests and limits of google.com/tpu to " + std::to_string(count) +
                    ", or " +
                    SelectorChange(subject, NodeLabel::kAcceleratorCount, std::to_string(chips))};
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& selected = subject.shape.choice[NodeLabel::kAcceleratorCount];
  if (!selected.fixed()) return;
  const std::optional<std::int64_t> count = WholeNumber(selected.value);
  if (!count) return report.Add(NoNumber(subject, Quoted(selected.value)));
  if (subject.shape.generation == nullptr) {
    const bool asks = subject.pods.use == workload::TpuUse::kChips;
    if (asks && subject.pods.chips_per_pod > *count) report.Add(TooFewForThePod(subject, *count));
    return;
  }
  const auto machines = subject.shape.machines();
  const bool possible = std::any_of(machines.begin(), machines.end(),
                                    [&](const auto* machine) { return machine->chips == *count; });
  if (!possible && !machines.empty()) report.Add(NotOfTheMachines(subject, *count));
}

}  // namespace

const Rule kTPU111 = {
    .id = "TPU111",
    .name = "accelerator-count",
    .mode = Mode::kDeny,
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
