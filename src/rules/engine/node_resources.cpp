#include "rules/engine/node_resources.h"

#include <fmt/core.h>
#include <algorithm>

namespace tpu_admission::rules {
namespace {

using k8s::ContainerRole;
using k8s::Quantity;

Quantity RequestOf(const k8s::Container& container, std::string_view resource) {
  const std::optional<k8s::Amount> amount = container.Requested(resource);
  return amount ? amount->quantity.value_or(Quantity()) : Quantity();
}

const tpu::MachineType* LargestMachine(const Subject& subject, Resource resource) {
  const tpu::MachineType* largest = nullptr;
  for (const tpu::MachineType* machine : subject.shape.machines()) {
    if (!MayHold(subject, *machine)) continue;
    if (largest == nullptr || Ceiling(*machine, resource) > Ceiling(*largest, resource)) {
      largest = machine;
    }
  }
  return largest;
}

}  // namespace

bool MayHold(const Subject& subject, const tpu::MachineType& machine) {
  const std::int64_t chips = subject.pods.chips_per_pod;
  const auto machines = subject.shape.machines();
  const bool some_fits = std::any_of(machines.begin(), machines.end(),
                                     [&](const auto* other) { return other->chips == chips; });
  return !some_fits || machine.chips == chips || subject.shape.generation->node_can_be_split();
}

std::string AtMost(const tpu::MachineType& machine, Resource resource) {
  constexpr std::int64_t kPercent = 95;
  const bool cpu = resource == Resource::kCpu;
  const std::int64_t units = cpu ? machine.allocatable.cpu_millis : machine.allocatable.memory_mib;
  const std::int64_t unit = cpu ? 1000 : 1024;
  return fmt::format("{}{}", units * kPercent / (100 * unit), cpu ? "" : "Gi");
}

Quantity EffectiveRequest(const k8s::PodSpec& spec, std::string_view resource) {
  Quantity running;   // containers and all sidecars
  Quantity sidecars;  // started so far
  Quantity init_peak;
  for (const k8s::Container& container : spec.containers) {
    const Quantity request = RequestOf(container, resource);
    switch (container.role) {
      case ContainerRole::kInit:
        init_peak = Max(init_peak, sidecars + request);
        break;
      case ContainerRole::kSidecar:
        sidecars = sidecars + request;
        running = running + request;
        break;
      case ContainerRole::kMain:
        running = running + request;
        break;
      case ContainerRole::kEphemeral:
        break;
    }
  }
  return Max(running, init_peak) + spec.overhead.QuantityOrZero(resource);
}

const k8s::Container* LargestAsker(const k8s::PodSpec& spec, std::string_view resource) {
  const k8s::Container* largest = nullptr;
  Quantity most;
  for (const k8s::Container& container : spec.containers) {
    const Quantity request = RequestOf(container, resource);
    if (request > most) {
      most = request;
      largest = &container;
    }
  }
  return largest;
}

Quantity Ceiling(const tpu::MachineType& machine, Resource resource) {
  return resource == Resource::kCpu ? Quantity::FromUnits(machine.vcpu)
                                    : Quantity::FromMebibytes(machine.memory_ceiling_gib * 1024);
}

Quantity Allocatable(const tpu::MachineType& machine, Resource resource) {
  return resource == Resource::kCpu ? Quantity::FromMillis(machine.allocatable.cpu_millis)
                                    : Quantity::FromMebibytes(machine.allocatable.memory_mib);
}

std::optional<Demand> DemandOf(const Subject& subject, Resource resource) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (spec.has_pod_level_resources) return std::nullopt;
  Demand demand;
  demand.machine = LargestMachine(subject, resource);
  if (demand.machine == nullptr) return std::nullopt;
  demand.asked = EffectiveRequest(spec, Name(resource));
  demand.asker = LargestAsker(spec, Name(resource));
  return demand.asker == nullptr ? std::nullopt : std::optional(demand);
}

}  // namespace tpu_admission::rules
