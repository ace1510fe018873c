// What single rules ask of a pod beside the parts that every rule reads: looked up when asked.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "tpu_admission/k8s/pod.h"

namespace tpu_admission::workload {

// google.com/tpu stands in the resources of the pod as a whole. Where: "requests" or "limits";
// empty if it does not.
std::string_view ChipsOfThePod(const k8s::PodSpec& spec);

// google.com/tpu stands beside limits and requests of the container's resources, or in limits or
// requests beside its resources: nobody reads it there. Where: a JSON pointer below the container;
// empty if it does not.
std::string_view UnreadChipsOf(const k8s::PodSpec& spec, const k8s::Container& container);

// The path of the hostPath volume at `index` of spec.volumes; empty if it is none.
std::string_view HostPathOf(const k8s::PodSpec& spec, std::size_t index);

// The container has a readiness probe.
bool HasReadinessProbe(const k8s::PodSpec& spec, const k8s::Container& container);

// What an emptyDir in memory at `index` of spec.volumes may hold, where it says so.
std::optional<k8s::Amount> MemorySizeLimit(const k8s::PodSpec& spec, std::size_t index);

// The volume that the container mounts at `path`; empty if it mounts none there.
std::string_view VolumeMountedAt(const k8s::PodSpec& spec, const k8s::Container& container,
                                 std::string_view path);

// The claim that the volume at `index` of spec.volumes mounts, to write to it; empty if it does
// not.
std::string_view WrittenClaimOf(const k8s::PodSpec& spec, std::size_t index);

// The Persistent Disk at `index` of spec.volumes is mounted for reading alone.
bool IsReadOnlyDisk(const k8s::PodSpec& spec, std::size_t index);

}  // namespace tpu_admission::workload
