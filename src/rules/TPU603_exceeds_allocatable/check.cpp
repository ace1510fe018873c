#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void CheckResource(const Subject& subject, Resource resource, Report& report) {
  const std::optional<Demand> demand = DemandOf(subject, resource);
  if (!demand || !demand->ExceedsAllocatable(resource)) return;
  const auto& [machine, asked, asker] = *demand;
  const k8s::Quantity allocatable = Allocatable(*machine, resource);
  const std::string name(Name(resource));
  report.Add(
      {.pointer = subject.At(*asker, "/resources/requests/" + name),
       .container = std::string(asker->name),
       .summary = "pod asks for " + asked.Text() + " " + name + ", a " + machine->name +
                  " gives about " + allocatable.Text(),
       .problem = "brings the pod to " + asked.Text() + " " + name + ", but a node of " +
                  machine->name + " is predicted to give its pods " + allocatable.Text() +
                  ", less what DaemonSets take.",
       .change = "ask for at most " + allocatable.Text() + " " + name + " in the whole pod"});
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
