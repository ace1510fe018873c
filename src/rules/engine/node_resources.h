// CPU and memory: what a pod asks for, and what a node has.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {

enum class Resource { kCpu, kMemory };
inline constexpr std::array<Resource, 2> kResources = {Resource::kCpu, Resource::kMemory};
inline std::string_view Name(Resource resource) {
  return resource == Resource::kCpu ? "cpu" : "memory";
}

// What the scheduler counts for the pod: containers and sidecars together, or the peak of an init
// container beside the sidecars started before it; and the overhead.
// https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
k8s::Quantity EffectiveRequest(const k8s::PodSpec& spec, std::string_view resource);

// The container that asks for most of it among those that the request comes from, which all run, or
// the init containers; nullptr if none asks.
const k8s::Container* LargestAsker(const k8s::PodSpec& spec, std::string_view resource);

// A node of the machine can give the pod its chips: where nodes are not split and some machine has
// just these, no other does.
bool MayHold(const Subject& subject, const tpu::MachineType& machine);
// Of those that may hold the pod, the one that has most of the resource; nullptr if none is known.
const tpu::MachineType* LargestMachine(const Subject& subject, Resource resource);
// All of the machine, by the most generous source.
k8s::Quantity Ceiling(const tpu::MachineType& machine, Resource resource);
// What a node of it is predicted to give to pods.
k8s::Quantity Allocatable(const tpu::MachineType& machine, Resource resource);

// A pod's request held against the machine that has most of the resource among those that the
// selectors allow.
struct Demand {
  const tpu::MachineType* machine = nullptr;
  k8s::Quantity asked;
  std::string_view written;               // what was asked, where one amount is all of it
  const k8s::Container* asker = nullptr;  // for most of it; nullptr: the pod as a whole

  bool keeps_some = true;  // a node of GKE's keeps some of its machine for itself

  bool ExceedsMachine(Resource resource) const {
    const k8s::Quantity all = Ceiling(*machine, resource);
    return asked > all || (keeps_some && asked == all);
  }
  bool Exceeds(Resource resource) const {
    return asked > Allocatable(*machine, resource) || ExceedsMachine(resource);
  }
};
// Nothing if no machine is known, nobody asks, or the machine gives what containers ask for. What
// is set for the pod as a whole counts in the place of what its containers ask for.
// https://kubernetes.io/docs/tasks/configure-pod-container/assign-pod-level-resources/
std::optional<Demand> DemandOf(const Subject& subject, Resource resource);
// Where most of it is asked for, and the name of the container.
std::string AskedAt(const Subject& subject, const Demand& demand, Resource resource);
std::string AskedBy(const Demand& demand);
// " (without a request the limit counts as one)" of one that only a limit asks for; else empty.
std::string ByLimit(const Subject& subject, const Demand& demand, Resource resource);

// For eyes that compare, in CPUs or GiB with at most one decimal: "179.4", "687.5Gi". What is asked
// is rounded up, and begins with what was written: "1T (931.4Gi)". What there is is rounded down.
std::string Asked(const Demand& demand, Resource resource);
std::string Given(k8s::Quantity quantity, Resource resource);

// What the pod may well ask for: its part, by its chips, of what the node is predicted to give less
// a twentieth, which DaemonSets take. In whole CPUs and GiB where it comes to one.
k8s::Quantity AtMost(const Subject& subject, const Demand& demand, Resource resource);
// The limit of the largest container, where it asks for more than that: the request is a slip.
std::optional<k8s::Quantity> LimitBelow(const Demand& demand, Resource resource);
// Brings the pod to AtMost() by what its largest container asks for, or the pod as a whole; none if
// the others alone ask for more. A limit that is less than that is what was meant.
workload::Edits Lowered(const Subject& subject, const Demand& demand, Resource resource);

}  // namespace tpu_admission::rules
