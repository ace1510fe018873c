// How containers ask for TPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tpu_admission/k8s/pod.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::workload {

// The taint of TPU nodes, whose key is that of the resource.
inline constexpr std::string_view kTpuTaintValue = "present";
inline constexpr std::string_view kTpuTaintEffect = "NoSchedule";
bool ToleratesTpuTaint(const k8s::PodSpec& spec);
// Some part of it is still to be filled in, so nobody knows what it tolerates.
bool IsOpen(const k8s::Toleration& toleration);

// Asks for google.com/tpu, and for more than a plain 0.
bool UsesTpu(const k8s::Container& container);
// The chips that a container asks for, if that is a whole number of at least 0: its limit, which a
// request must equal; where there is none, its request.
std::optional<std::int64_t> ChipsOf(const k8s::Container& container);
// The chips that run at once: the sum over containers and sidecars; 0 if one cannot be read.
std::int64_t ChipsPerPod(const k8s::PodSpec& spec);
// The GPU resource that a container asks for (nvidia.com/gpu, nvidia.com/mig-1g.5gb, amd.com/gpu);
// empty if it asks for none.
std::string_view GpuResourceOf(const k8s::Container& container);
// Asks for a resource of the former Cloud TPU operator: cloud-tpus.google.com/v2, preemptible-v3.
bool UsesLegacyTpu(const k8s::Container& container);

// Some key or text in `object` names TPUs as Kubernetes objects do. For what is too large to
// decode.
bool MentionsTpus(k8s::JsonView object);

}  // namespace tpu_admission::workload
