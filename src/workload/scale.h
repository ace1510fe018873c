// How many pods a pod set has, and how many of them form a slice.
#pragma once

#include <span>

#include "tpu_admission/workload/workload.h"
#include "workload/paths.h"

namespace tpu_admission::workload {

// The counts of one pod set, as its row says.
Scale ReadScale(const PodSetRow& row, k8s::JsonView object, const Binding& binding,
                k8s::Decoder& decoder);

// The member `field` of what stands at the JSON pointer `holder`; 1 if it is absent.
Count ReadCount(k8s::JsonView value, std::string_view holder, std::string_view field,
                k8s::Decoder& decoder);

// Settles tpu_pods where it depends on several pod sets: a leader and its workers, or templates
// that fill slices together. `sets` are all of one object; `object` has a leader template or not.
void CombineScales(const Kind& kind, k8s::JsonView object, std::span<PodSet> sets);

}  // namespace tpu_admission::workload
