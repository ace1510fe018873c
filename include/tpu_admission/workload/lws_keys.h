// The labels and annotations of LeaderWorkerSet that several sources read.
#pragma once

#include <string_view>

namespace tpu_admission::workload {

// On the LeaderWorkerSet. https://lws.sigs.k8s.io/docs/concepts/
inline constexpr std::string_view kLwsExclusiveTopology =
    "leaderworkerset.sigs.k8s.io/exclusive-topology";
inline constexpr std::string_view kLwsSubGroupExclusiveTopology =
    "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";
// At its pods.
inline constexpr std::string_view kLwsName = "leaderworkerset.sigs.k8s.io/name";

}  // namespace tpu_admission::workload
