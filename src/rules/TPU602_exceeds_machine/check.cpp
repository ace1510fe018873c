#include <fmt/core.h>

#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace tpu602 {

// Where sources disagree about the machine, those who have read another one are told.
std::string Remark(const tpu::MachineType& machine, Resource resource) {
  const bool is_of_memory = machine.note.find("GiB") != std::string::npos;
  return resource == Resource::kMemory && is_of_memory ? " " + machine.note : "";
}

void CheckResource(const Subject& subject, Resource resource, Report& report) {
  const std::optional<Demand> demand = DemandOf(subject, resource);
  if (!demand || !demand->ExceedsMachine(resource)) return;
  const tpu::MachineType& machine = *demand->machine;
  const std::string asked = Asked(*demand, resource);
  workload::Edits edits = Lowered(subject, *demand, resource);
  const std::string lower =
      edits.empty() ? fmt::format("ask for at most {} {} in the whole pod",
                                  AtMost(subject, *demand, resource).Text(), Name(resource))
                    : "";
  const std::string ceiling = Given(Ceiling(machine, resource), resource);
  const std::string name(Name(resource));
  report.Add(
      {.pointer = AskedAt(subject, *demand, resource),
       .container = AskedBy(*demand),
       .summary = fmt::format("pod asks for {} {}, a {} has {} in all", asked, name, machine.name,
                              ceiling),
       .problem =
           fmt::format("brings the pod to {} {}, but a {}, the largest machine that the selectors "
                       "allow, has {} in all, of which the node keeps some for itself.",
                       asked, name, machine.name, ceiling) +
           Remark(machine, resource),
       .edits = std::move(edits),
       .change = fmt::format("{}; a node gives about {}, of which DaemonSets take a part", lower,
                             Given(Allocatable(machine, resource), resource)),
       .decision = "which container can do with less"});
}

void Check(const Subject& subject, Report& report) {
  for (const Resource resource : kResources) CheckResource(subject, resource, report);
}

}  // namespace tpu602

const Rule kTPU602 = {
    .id = "TPU602",
    .name = "exceeds-machine",
    .mode = Mode::kDeny,
    .check = tpu602::Check,
};

}  // namespace tpu_admission::rules
