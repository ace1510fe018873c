#include "rules/engine/pathways.h"

#include <algorithm>
#include <array>

#include "rules/engine/suggestions.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

// https://github.com/google/pathways-job/blob/main/api/v1/pathwaysjob_types.go
constexpr std::array<std::string_view, 7> kPathwaysTypes = {
    "tpu7x-standard-4t", "ct6e-standard-4t", "ct6e-standard-8t", "ct5p-hightpu-4t",
    "ct5lp-hightpu-4t",  "ct5lp-hightpu-8t", "ct4p-hightpu-4t"};

}  // namespace

std::span<const std::string_view> PathwaysTypes() { return kPathwaysTypes; }

bool TakesMachine(const Subject& subject, std::string_view machine) {
  return subject.pods.row->form != workload::Form::kPathwaysWorker ||
         std::find(kPathwaysTypes.begin(), kPathwaysTypes.end(), machine) != kPathwaysTypes.end();
}

bool HasRefusedType(const Subject& subject) {
  const workload::Selected& machine = subject.shape.choice[NodeLabel::kMachineType];
  return machine.fixed() && !TakesMachine(subject, machine.value);
}

workload::Edits TypeFor(const Subject& subject, const tpu::Placement& placement) {
  if (!HasRefusedType(subject)) return {};
  return Selecting(subject, NodeLabel::kMachineType, placement.machine->name);
}

}  // namespace tpu_admission::rules
