#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void CheckResource(const Subject& subject, Resource resource, Report& report) {
  const std::optional<Demand> demand = DemandOf(subject, resource);
  if (!demand || !demand->ExceedsMachine(resource)) return;
  const auto& [machine, asked, asker] = *demand;
  const k8s::Quantity ceiling = Ceiling(*machine, resource);
  const std::string name(Name(resource));
  report.Add({.pointer = subject.At(*asker, "/resources/requests/" + name),
              .container = std::string(asker->name),
              .summary = "pod asks for " + asked.Text() + " " + name + ", a " + machine->name +
                         " has " + ceiling.Text() + " in all",
              .problem = "brings the pod to " + asked.Text() + " " + name + ", but a " +
                         machine->name + ", the largest machine that the selectors allow, has " +
                         ceiling.Text() + " in all, of which the node keeps some for itself.",
              .change = "ask for at most " + Allocatable(*machine, resource).Text() + " " + name +
                        " in the whole pod"});
}

void Check(const Subject& subject, Report& report) {
  for (const Resource resource : kResources) CheckResource(subject, resource, report);
}

}  // namespace

const Rule kTPU602 = {
    .id = "TPU602",
    .name = "exceeds-machine",
    .mode = Mode::kDeny,
    .check = Check,
};

}  // namespace tpu_admission::rules
