#include <fmt/core.h>

#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace tpu603 {

void CheckResource(const Subject& subject, Resource resource, Report& report) {
  const std::optional<Demand> demand = DemandOf(subject, resource);
  if (!demand || !demand->Exceeds(resource) || demand->ExceedsMachine(resource)) return;
  const tpu::MachineType& machine = *demand->machine;
  const std::string asked = Asked(*demand, resource);
  workload::Edits edits = Lowered(subject, *demand, resource);
  const std::string lower =
      edits.empty() ? fmt::format("ask for at most {} {} in all",
                                  AtMost(subject, *demand, resource).Text(), Name(resource))
                    : "";
  const std::string allocatable = Given(Allocatable(machine, resource), resource);
  const std::string name(Name(resource));
  report.Add({.pointer = AskedAt(subject, *demand, resource),
              .container = AskedBy(*demand),
              .summary = fmt::format("pod asks for {} {}, a {} gives about {}", asked, name,
                                     machine.name, allocatable),
              .problem = fmt::format(
                  "brings the pod to {} {}{}, but a node of {} is predicted to give its "
                  "pods {}, less what DaemonSets take.",
                  asked, name, ByLimit(subject, *demand, resource), machine.name, allocatable),
              .edits = std::move(edits),
              .change = lower + ", which leaves room for DaemonSets",
              .decision = "which container can do with less",
              .of_pod = Name(resource)});
}

void Check(const Subject& subject, Report& report) {
  for (const Resource resource : kResources) CheckResource(subject, resource, report);
}

}  // namespace tpu603

const Rule kTPU603 = {
    .id = "TPU603",
    .name = "exceeds-allocatable",
    .mode = Mode::kWarn,
    .check = tpu603::Check,
};

}  // namespace tpu_admission::rules
