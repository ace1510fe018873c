// What single rules ask of a pod beside the parts that every rule reads: looked up when asked.
#pragma once

#include <cstddef>
#include <string_view>

#include "tpu_admission/k8s/pod.h"

namespace tpu_admission::workload {

// google.com/tpu stands in the resources of the pod as a whole. Where: "requests" or "limits";
// empty if it does not.
std::string_view ChipsOfThePod(const k8s::PodSpec& spec);

// The path of the hostPath volume at `index` of spec.volumes; empty if it is none.
std::string_view HostPathOf(const k8s::PodSpec& spec, std::size_t index);

// The Persistent Disk at `index` of spec.volumes is mounted for reading alone.
bool IsReadOnlyDisk(const k8s::PodSpec& spec, std::size_t index);

}  // namespace tpu_admission::workload
