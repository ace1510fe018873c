// The labels and annotations of JobSet that several sources read.
#pragma once

#include <string_view>

namespace tpu_admission::workload {

// On the JobSet, or on the Job of a replicated job. https://jobset.sigs.k8s.io/docs/concepts/
inline constexpr std::string_view kJobSetExclusiveTopology =
    "alpha.jobset.sigs.k8s.io/exclusive-topology";
// At its pods.
inline constexpr std::string_view kJobSetName = "jobset.sigs.k8s.io/jobset-name";

}  // namespace tpu_admission::workload
