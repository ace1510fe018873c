// The annotations by which JobSet is spoken to. Each key stands here and nowhere else.
#pragma once

#include <string_view>

namespace tpu_admission::workload {

// On the JobSet, or on the Job of a replicated job. https://jobset.sigs.k8s.io/docs/concepts/
inline constexpr std::string_view kJobSetExclusiveTopology =
    "alpha.jobset.sigs.k8s.io/exclusive-topology";

}  // namespace tpu_admission::workload
