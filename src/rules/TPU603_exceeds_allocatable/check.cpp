#include <fmt/core.h>

#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void CheckResource(const Subject& subject, Resource resource, Report& report) {
  const std::optional<Demand> demand = DemandOf(subject, resource);
  if (!demand || !demand->ExceedsAllocatable(resource)) return;
  const auto& [machine, asked, asker] = *demand;
  workload::Edits edits = Lowered(subject, *demand, resource);
  const std::string lower =
      edits.empty() ? fmt::format("ask for at most {} {} in all",
                                  AtMost(subject, *demand, resource).Text(), Name(resource))
                    : "";
  const k8s::Quantity allocatable = Allocatable(*machine, resource);
  const std::string name(Name(resource));
  report.Add(
      {.pointer = subject.At(*asker, fmt::format("/resources/requests/{}", name)),
       .container = std::string(asker->name),
       .summary = fmt::format("pod asks for {} {}, a {} gives about {}", asked.Text(), name,
                              machine->name, allocatable.Text()),
       .problem = fmt::format("brings the pod to {} {}, but a node of {} is predicted to give its "
                              "pods {}, less what DaemonSets take.",
                              asked.Text(), name, machine->name, allocatable.Text()),
       .edits = std::move(edits),
       .change = lower + ", which leaves room for DaemonSets",
       .decision = "which container can do with less"});
}

void Check(const Subject& subject, Report& report) {
  for (const Resource resource : kResources) CheckResource(subject, resource, report);
}

}  // namespace

const Rule kTPU603 = {
    .id = "TPU603",
    .name = "exceeds-allocatable",
    .mode = Mode::kWarn,
    .check = Check,
};

}  // namespace tpu_admission::rules
