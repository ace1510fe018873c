#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu602 {

// Where sources disagree about the machine, those who have read another one are told.
std::string Remark(const tpu::MachineType& machine, Resource resource) {
  const bool is_of_memory = machine.note.find("GiB") != std::string::npos;
  return resource == Resource::kMemory && is_of_memory ? rules::Remark(machine.note) : "";
}

// " of 4 chips", where the selectors allow larger machines too, which give no pod so few.
std::string OfChips(const Subject& subject, const tpu::MachineType& machine) {
  const auto machines = subject.shape.machines();
  const bool others = std::any_of(machines.begin(), machines.end(),
                                  [&](const auto* other) { return !MayHold(subject, *other); });
  return others ? fmt::format(" of {}", Counted(machine.chips, "chip")) : "";
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
           fmt::format("brings the pod to {} {}{}, but a {}, the largest machine{} that the "
                       "selectors allow, has {} in all, of which the node keeps some for itself.",
                       asked, name, ByLimit(subject, *demand, resource), machine.name,
                       OfChips(subject, machine), ceiling) +
           Remark(machine, resource),
       .edits = std::move(edits),
       .change = fmt::format("{}; a node gives about {}, of which DaemonSets take a part", lower,
                             Given(Allocatable(machine, resource), resource)),
       .decision = "which container can do with less",
       .of_pod = Name(resource)});
}

// How many pods fill a host of the slice by their chips; 1 where none shares it, or the object does
// not say that they run together.
std::int64_t PodsOnAHost(const Subject& subject) {
  if (subject.shape.generation == nullptr || !subject.shape.generation->node_can_be_split()) {
    return 1;
  }
  const std::optional<Slice> slice = subject.MultiHostSlice();
  return slice && subject.pods.scale.is_counted() ? slice->pods / slice->hosts : 1;
}

// Each pod fits by itself, but a slice begins only when all that its hosts are for run on them.
void CheckShared(const Subject& subject, std::int64_t pods, Resource resource, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (pods < 2 || spec.has_pod_level_resources) return;
  const tpu::MachineType* const machine = LargestMachine(subject, resource);
  const k8s::Container* const asker = LargestAsker(spec, Name(resource));
  if (machine == nullptr || asker == nullptr) return;
  const Demand of_pod = {.machine = machine,
                         .asked = EffectiveRequest(spec, Name(resource)),
                         .written = {},
                         .asker = asker};
  Demand of_all = of_pod;
  for (std::int64_t pod = 1; pod < pods; ++pod) of_all.asked = of_all.asked + of_pod.asked;
  if (of_pod.ExceedsMachine(resource) || !of_all.ExceedsMachine(resource)) return;
  const std::string ceiling = Given(Ceiling(*machine, resource), resource);
  const std::string name(Name(resource));
  report.Add(
      {.pointer = AskedAt(subject, of_pod, resource),
       .container = AskedBy(of_pod),
       .summary = fmt::format("{} pods of a host ask for {} {}, a {} has {} in all", pods,
                              Asked(of_all, resource), name, machine->name, ceiling),
       .problem = fmt::format(
           "brings each pod to {} {}{}. By their chips {} pods run on each host of the slice, and "
           "a "
           "{} has {} in all: they never run together, and the slice never begins.",
           Asked(of_pod, resource), name, ByLimit(subject, of_pod, resource), pods, machine->name,
           ceiling),
       .edits = Lowered(subject, of_pod, resource),
       .change = "; the pods of a host share what it gives",
       .decision = "which container can do with less",
       .milder = Mode::kWarn,
       .of_pod = Name(resource)});
}

void Check(const Subject& subject, Report& report) {
  const std::int64_t pods = PodsOnAHost(subject);
  for (const Resource resource : kResources) {
    CheckResource(subject, resource, report);
    CheckShared(subject, pods, resource, report);
  }
}

}  // namespace tpu602

const Rule kTPU602 = {
    .id = "TPU602",
    .name = "exceeds-machine",
    .mode = Mode::kDeny,
    .check = tpu602::Check,
};

}  // namespace tpu_admission::rules
