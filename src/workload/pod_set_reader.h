// Reads what stands at the path of a pod set, whatever its form.
#pragma once

#include "tpu_admission/workload/workload.h"
#include "workload/paths.h"

namespace tpu_admission::workload {

// The pod set at `binding` of `row`; nothing if it has nothing to do with TPUs. `size` grows by its
// containers. The error is that of k8s::DecodePod.
Result<std::optional<PodSet>> ReadPodSet(const PodSetRow& row, k8s::JsonView object,
                                         k8s::JsonView at, const Binding& binding,
                                         k8s::Arena& arena);

}  // namespace tpu_admission::workload
