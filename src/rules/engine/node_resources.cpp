#include "rules/engine/node_resources.h"

#include <fmt/core.h>
#include <algorithm>

namespace tpu_admission::rules {
namespace {

using k8s::ContainerRole;
using k8s::Quantity;

Quantity RequestOf(const k8s::Container& container, std::string_view resource) {
  const k8s::Amount* const amount = container.Requested(resource);
  return amount != nullptr ? amount->quantity.value_or(Quantity()) : Quantity();
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

// In whole units, where it comes to one.
std::int64_t Rounded(std::int64_t amount, std::int64_t unit) {
  return amount < unit ? amount : amount / unit * unit;
}

// What containers and sidecars ask for together, and the most beside an init container.
struct Peaks {
  Quantity running;
  Quantity init;
};
Peaks PeaksOf(const k8s::PodSpec& spec, std::string_view resource) {
  Peaks peaks;
  Quantity sidecars;  // started so far
  for (const k8s::Container& container : spec.containers) {
    const Quantity request = RequestOf(container, resource);
    switch (container.role) {
      case ContainerRole::kInit:
        peaks.init = Max(peaks.init, sidecars + request);
        break;
      case ContainerRole::kSidecar:
        sidecars = sidecars + request;
        peaks.running = peaks.running + request;
        break;
      case ContainerRole::kMain:
        peaks.running = peaks.running + request;
        break;
      case ContainerRole::kEphemeral:
        break;
    }
  }
  return peaks;
}

// In CPUs or GiB, with at most one decimal.
std::string Readable(Quantity quantity, Resource resource, bool up) {
  const bool cpu = resource == Resource::kCpu;
  const std::int64_t steps = cpu ? quantity.MillisRoundedDown() : quantity.MebibytesRoundedDown();
  const std::int64_t unit = cpu ? 1000 : 1024;
  const Quantity down = cpu ? Quantity::FromMillis(steps) : Quantity::FromMebibytes(steps);
  const std::int64_t rest = steps % unit * 10;
  std::int64_t whole = steps / unit;
  std::int64_t tenths = rest / unit;
  if (up && (rest % unit != 0 || down < quantity) && ++tenths == 10) {
    ++whole;
    tenths = 0;
  }
  return fmt::format("{}{}{}", whole, tenths == 0 ? "" : fmt::format(".{}", tenths),
                     cpu ? "" : "Gi");
}

}  // namespace

bool MayHold(const Subject& subject, const tpu::MachineType& machine) {
  const std::int64_t chips = subject.pods.chips_per_pod;
  const auto machines = subject.shape.machines();
  const bool some_fits = std::any_of(machines.begin(), machines.end(),
                                     [&](const auto* other) { return other->chips == chips; });
  return !some_fits || machine.chips == chips || subject.shape.generation->node_can_be_split();
}

Quantity EffectiveRequest(const k8s::PodSpec& spec, std::string_view resource) {
  const Peaks peaks = PeaksOf(spec, resource);
  return Max(peaks.running, peaks.init) + spec.overhead.QuantityOrZero(resource);
}

const k8s::Container* LargestAsker(const k8s::PodSpec& spec, std::string_view resource) {
  const Peaks peaks = PeaksOf(spec, resource);
  const k8s::Container* largest = nullptr;
  Quantity most;
  for (const k8s::Container& container : spec.containers) {
    if (container.Stays() == (peaks.init > peaks.running)) continue;
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
  if (demand.asker == nullptr) return std::nullopt;
  const k8s::Amount* const amount = demand.asker->Requested(Name(resource));
  if (amount->quantity == demand.asked) demand.written = amount->text;
  return demand;
}

std::string Asked(const Demand& demand, Resource resource) {
  constexpr std::size_t kLongestWritten = 20;
  const std::string readable = Readable(demand.asked, resource, true);
  const bool as_is = demand.written.empty() || demand.written == readable ||
                     demand.written.size() > kLongestWritten;
  return as_is ? readable : fmt::format("{} ({})", demand.written, readable);
}

std::string Given(Quantity quantity, Resource resource) {
  return Readable(quantity, resource, false);
}

Quantity AtMost(const Subject& subject, const Demand& demand, Resource resource) {
  constexpr std::int64_t kPercent = 95;
  const tpu::MachineType& machine = *demand.machine;
  const std::int64_t chips = subject.pods.chips_per_pod;
  const bool shares = subject.shape.generation->node_can_be_split() && 0 < chips;
  const std::int64_t part = shares ? std::min(chips, machine.chips) : machine.chips;
  const auto of = [&](std::int64_t all) { return all * kPercent / 100 * part / machine.chips; };
  return resource == Resource::kCpu
             ? Quantity::FromMillis(Rounded(of(machine.allocatable.cpu_millis), 1000))
             : Quantity::FromMebibytes(Rounded(of(machine.allocatable.memory_mib), 1024));
}

workload::Edits Lowered(const Subject& subject, const Demand& demand, Resource resource) {
  const k8s::Container& asker = *demand.asker;
  const std::string_view name = Name(resource);
  const Quantity own = RequestOf(asker, name);
  const Quantity left = AtMost(subject, demand, resource) - (demand.asked - own);
  const bool cpu = resource == Resource::kCpu;
  const std::int64_t amount =
      cpu ? Rounded(left.MillisRoundedDown(), 1000) : Rounded(left.MebibytesRoundedDown(), 1024);
  if (amount <= 0) return {};
  const Quantity right = cpu ? Quantity::FromMillis(amount) : Quantity::FromMebibytes(amount);
  workload::Edits edits;
  for (const std::string_view list : {"requests", "limits"}) {
    // A limit that is the request stays so.
    const auto now = (list == "limits" ? asker.limits : asker.requests).Find(name);
    if (!now || now->quantity != own) continue;
    edits.push_back({subject.At(asker, fmt::format("/resources/{}/{}", list, name)), right.Text()});
    if (const auto number = right.AsInteger(); cpu && number) edits.back().value = *number;
  }
  return edits;
}

}  // namespace tpu_admission::rules
