#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace tpu601 {

constexpr std::int64_t kSharePercent = 80;  // of what the node gives to pods

// A TPU container whose amount of the resource nobody set.
bool Lacks(const k8s::Container& container, Resource resource) {
  return container.Stays() && workload::UsesTpu(container) &&
         !container.requests.Has(Name(resource)) && !container.limits.Has(Name(resource));
}

std::int64_t Units(k8s::Quantity quantity, Resource resource) {
  return resource == Resource::kCpu ? quantity.MillisRoundedDown()
                                    : quantity.MebibytesRoundedDown();
}

k8s::Quantity Of(std::int64_t units, Resource resource) {
  return resource == Resource::kCpu ? k8s::Quantity::FromMillis(units)
                                    : k8s::Quantity::FromMebibytes(units);
}

// The topology is written so that no node has it, and would say which machine is meant.
bool IsUnreadable(const Shape& shape) {
  const bool is_one = shape.topology && !shape.topology_guessed;
  return shape.choice[workload::NodeLabel::kTopology].fixed() && !is_one;
}

// The pod's share of the smallest machine that can match, in millicores or MiB; 0: not known.
std::int64_t PodShare(const Subject& subject, Resource resource) {
  if (IsUnreadable(subject.shape) || subject.shape.machine_is_unknown()) return 0;
  const std::int64_t chips = subject.pods.chips_per_pod;
  std::int64_t share = 0;
  for (const tpu::MachineType* machine : subject.shape.machines()) {
    if (chips == 0 || machine->chips < chips || !MayHold(subject, *machine)) continue;
    const std::int64_t units = resource == Resource::kCpu ? machine->allocatable.cpu_millis
                                                          : machine->allocatable.memory_mib;
    const std::int64_t mine = units * kSharePercent * chips / (100 * machine->chips);
    share = share == 0 ? mine : std::min(share, mine);
  }
  return share;
}

bool OthersDecide(const Subject& subject) {
  return subject.workload.queued || subject.pods.pod.spec.gated;
}

// What the pod's share leaves to the containers that have no request.
struct Leftover {
  std::int64_t units = 0;  // 0: nothing, or somebody else decides
  std::int64_t chips = 0;  // of these containers

  // The container's part, by its chips.
  std::optional<std::int64_t> PartOf(const k8s::Container& container) const {
    if (units <= 0 || chips == 0) return std::nullopt;
    const std::int64_t part = units * ChipsOf(container).value_or(0) / chips;
    return part > 0 ? std::optional(part) : std::nullopt;
  }
};

Leftover LeftoverOf(const Subject& subject, Resource resource) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const std::int64_t share = OthersDecide(subject) ? 0 : PodShare(subject, resource);
  if (share == 0) return {};
  // What is negative is wrong, and must not make the share larger.
  k8s::Quantity left =
      Of(share, resource) - Max(spec.overhead.QuantityOrZero(Name(resource)), k8s::Quantity());
  Leftover leftover;
  for (const k8s::Container& container : spec.containers) {
    if (!container.Stays()) continue;
    if (Lacks(container, resource)) {
      leftover.chips += ChipsOf(container).value_or(0);
    } else if (const auto amount = container.Requested(Name(resource));
               amount && amount->quantity) {
      left = left - Max(*amount->quantity, k8s::Quantity());
    }
  }
  leftover.units = Units(left, resource);
  return leftover;
}

// A container without a request for one of the resources or both, and what it should ask for.
struct Lack {
  const k8s::Container& container;
  bool cpu = false;
  bool memory = false;
  AddRequests fix;
};

std::vector<Lack> LacksOf(const Subject& subject) {
  std::vector<Lack> lacks;
  Leftover cpu_left;
  Leftover memory_left;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    const bool cpu = Lacks(container, Resource::kCpu);
    const bool memory = Lacks(container, Resource::kMemory);
    if (!cpu && !memory) continue;
    if (lacks.empty()) {
      cpu_left = LeftoverOf(subject, Resource::kCpu);
      memory_left = LeftoverOf(subject, Resource::kMemory);
    }
    AddRequests fix{.list = container.list, .index = container.index};
    if (cpu) fix.cpu_millis = cpu_left.PartOf(container);
    if (memory) fix.memory_mib = memory_left.PartOf(container);
    lacks.push_back({container, cpu, memory, fix});
  }
  return lacks;
}

// "cpu 143584m and memory 563220Mi"
std::string Text(const AddRequests& fix) {
  std::string text;
  if (fix.cpu_millis) text = fmt::format("cpu {}m", *fix.cpu_millis);
  if (fix.memory_mib) {
    text += fmt::format("{}{}{}Mi", text.empty() ? "" : " and ", "memory ", *fix.memory_mib);
  }
  return text;
}

// Kueue admits no workload that asks for what its ClusterQueue does not cover, and many cover chips
// alone. https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#resource-groups
std::string Change(const Subject& subject, const AddRequests& fix, const std::string& missing) {
  if (subject.workload.queued) {
    return fmt::format(
        "set requests of {} where Kueue's ClusterQueue covers them; one that covers chips alone "
        "admits no workload that asks for more",
        missing);
  }
  if (!fix.cpu_millis && !fix.memory_mib) return fmt::format("set requests of {}", missing);
  return fmt::format(
      "set requests of {}, 80 % of what the smallest matching machine gives per chip; pods that "
      "have none are given that",
      Text(fix));
}

// Another rule denies the accelerator or the chips; when that is mended, pods get their requests.
bool WaitsForAnotherFault(const Subject& subject) {
  const workload::Selected& accelerator = subject.shape.choice[workload::NodeLabel::kAccelerator];
  if (!accelerator.fixed()) return false;
  if (subject.shape.generation == nullptr) {
    return MeantBy(subject.catalog, subject.shape) != nullptr;
  }
  return subject.shape.guessed || PodShare(subject, Resource::kCpu) == 0;
}

// Somebody else sets the requests: Autopilot, or who wrote them for the pod as a whole.
bool IsSetElsewhere(const Subject& subject) {
  return subject.cluster.platform == Platform::kAutopilot ||
         subject.pods.pod.spec.has_pod_level_resources;
}

// Nobody needs to act: pods get what is missing, or would wait for ever with it.
bool IsForTheLog(const Subject& subject, bool fixed) {
  return fixed || subject.workload.queued || WaitsForAnotherFault(subject);
}

void Mend(const Subject& subject, std::vector<Fix>& fixes) {
  if (IsSetElsewhere(subject)) return;
  for (const Lack& lack : LacksOf(subject)) {
    if (lack.fix.cpu_millis || lack.fix.memory_mib) fixes.emplace_back(lack.fix);
  }
}

// https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/: who takes more
// memory than it has asked for goes first; CPU evicts nobody.
std::string_view Danger(bool memory) {
  return memory ? "other pods may crowd the TPU host, and when its memory runs short this one is "
                  "among the first to be evicted."
                : "other pods may crowd the TPU host and slow it down.";
}

void Check(const Subject& subject, Report& report) {
  if (IsSetElsewhere(subject)) return;
  const std::vector<Lack> lacks = LacksOf(subject);
  for (const auto& [container, cpu, memory, fix] : lacks) {
    if (report.full()) return;
    const std::string missing = cpu && memory ? "cpu and memory" : cpu ? "cpu" : "memory";
    const bool fixed = fix.cpu_millis || fix.memory_mib;
    report.Add(
        container,
        {.pointer = subject.At(container, "/resources"),
         .summary = fmt::format("{} has no request for {}{}", Title(container), missing,
                                fixed ? fmt::format(" (suggested: {})", Text(fix)) : ""),
         .problem = fmt::format("has no request for {}, so the scheduler keeps none for "
                                "it: {}",
                                missing, Danger(memory)),
         .change = Change(subject, fix, missing),
         .decision = "how much the container needs",
         .milder = IsForTheLog(subject, fixed) ? std::optional(Mode::kAudit) : std::nullopt});
  }
}

}  // namespace tpu601

const Rule kTPU601 = {
    .id = "TPU601",
    .name = "requests-missing",
    .mode = Mode::kWarn,
    .check = tpu601::Check,
    .fix = tpu601::Mend,
};

}  // namespace tpu_admission::rules
