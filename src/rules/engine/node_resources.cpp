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

// What is set for the pod as a whole: its request, or the limit where nobody requests anything.
// https://github.com/kubernetes/kubernetes pkg/apis/core/v1/defaults.go, setDefaultPodRequests
const k8s::Amount* OfPod(const k8s::PodSpec& spec, std::string_view resource) {
  if (!spec.has_pod_level_resources) return nullptr;
  const k8s::Amount* const amount = spec.requests.Find(resource);
  const bool asked = amount != nullptr || LargestAsker(spec, resource) != nullptr;
  return asked ? amount : spec.limits.Find(resource);
}

// The API server refuses pods whose containers have more than the pod: `most` instead of `own`.
bool HoldsContainers(const k8s::PodSpec& spec, std::string_view resource, Quantity own,
                     Quantity most) {
  const Peaks peaks = PeaksOf(spec, resource);
  if (Max(peaks.running, peaks.init) > most) return false;
  const k8s::Amount* const limit = spec.limits.Find(resource);
  return limit == nullptr || limit->quantity != own ||
         std::all_of(spec.containers.begin(), spec.containers.end(), [&](const auto& container) {
           return container.limits.QuantityOrZero(resource) <= most;
         });
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

// Of the container, or of the pod where that has amounts of its own.
bool IsAskedByLimit(const Subject& subject, const Demand& demand, Resource resource) {
  const k8s::ResourceList& requests =
      demand.asker != nullptr ? demand.asker->requests : subject.pods.pod.spec.requests;
  return !requests.Has(Name(resource));
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

const tpu::MachineType* LargestMachine(const Subject& subject, Resource resource) {
  const tpu::MachineType* largest = nullptr;
  if (subject.shape.machine_is_unknown()) return nullptr;
  for (const tpu::MachineType* machine : subject.shape.machines()) {
    if (!MayHold(subject, *machine)) continue;
    if (largest == nullptr || Ceiling(*machine, resource) > Ceiling(*largest, resource)) {
      largest = machine;
    }
  }
  return largest;
}

std::optional<Demand> DemandOf(const Subject& subject, Resource resource) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const std::string_view name = Name(resource);
  Demand demand;
  demand.keeps_some = subject.cluster.platform != Platform::kSelfManaged;
  // Of a host that sources disagree about nobody knows the size.
  if (subject.shape.DisputedHostOf(subject.pods.chips_per_pod) != nullptr) return std::nullopt;
  demand.machine = LargestMachine(subject, resource);
  if (demand.machine == nullptr) return std::nullopt;
  const k8s::Amount* amount = OfPod(spec, name);
  if (amount != nullptr) {
    if (!amount->quantity) return std::nullopt;
    demand.asked = *amount->quantity + spec.overhead.QuantityOrZero(name);
  } else {
    demand.asked = EffectiveRequest(spec, name);
    if (!demand.Exceeds(resource)) return std::nullopt;
    demand.asker = LargestAsker(spec, name);
    if (demand.asker == nullptr) return std::nullopt;
    amount = demand.asker->Requested(name);
  }
  if (amount->quantity == demand.asked) demand.written = amount->text;
  return demand;
}

std::string AskedAt(const Subject& subject, const Demand& demand, Resource resource) {
  const std::string_view name = Name(resource);
  const std::string_view list = IsAskedByLimit(subject, demand, resource) ? "limits" : "requests";
  if (demand.asker != nullptr) return subject.At(*demand.asker, list, name);
  return subject.AtSpec(fmt::format("/resources/{}/{}", list, name));
}

std::string ByLimit(const Subject& subject, const Demand& demand, Resource resource) {
  return IsAskedByLimit(subject, demand, resource) ? " (without a request the limit counts as one)"
                                                   : "";
}

std::string AskedBy(const Demand& demand) {
  return demand.asker == nullptr ? "" : std::string(demand.asker->name);
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

std::optional<Quantity> LimitBelow(const Demand& demand, Resource resource) {
  if (demand.asker == nullptr) return std::nullopt;
  const k8s::Amount* const limit = demand.asker->limits.Find(Name(resource));
  if (limit == nullptr || !limit->quantity || *limit->quantity <= Quantity()) return std::nullopt;
  if (RequestOf(*demand.asker, Name(resource)) <= *limit->quantity) return std::nullopt;
  return limit->quantity;
}

workload::Edits Lowered(const Subject& subject, const Demand& demand, Resource resource) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const k8s::Container* const asker = demand.asker;
  const std::string_view name = Name(resource);
  const Quantity own = asker != nullptr ? RequestOf(*asker, name)
                                        : demand.asked - spec.overhead.QuantityOrZero(name);
  const Quantity left = AtMost(subject, demand, resource) - (demand.asked - own);
  const bool cpu = resource == Resource::kCpu;
  const std::int64_t amount =
      cpu ? Rounded(left.MillisRoundedDown(), 1000) : Rounded(left.MebibytesRoundedDown(), 1024);
  if (amount <= 0) return {};
  Quantity right = cpu ? Quantity::FromMillis(amount) : Quantity::FromMebibytes(amount);
  if (const auto limit = LimitBelow(demand, resource); limit && *limit <= right) right = *limit;
  if (asker == nullptr && !HoldsContainers(spec, name, own, right)) return {};
  const std::string at =
      asker != nullptr ? subject.At(*asker, "/resources") : subject.AtSpec("/resources");
  const k8s::ResourceList& requests = asker != nullptr ? asker->requests : spec.requests;
  const k8s::ResourceList& limits = asker != nullptr ? asker->limits : spec.limits;
  workload::Edits edits;
  for (const std::string_view list : {"requests", "limits"}) {
    // A limit that is the request stays so.
    const auto now = (list == "limits" ? limits : requests).Find(name);
    if (!now || now->quantity != own) continue;
    edits.push_back({fmt::format("{}/{}/{}", at, list, name), right.Text()});
    if (const auto number = right.AsInteger(); cpu && number) edits.back().value = *number;
  }
  return edits;
}

}  // namespace tpu_admission::rules
