// The label and the annotations by which Kueue queues and places pods. Each key stands here and
// nowhere else. https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
#pragma once

#include <array>
#include <string_view>

namespace tpu_admission::workload {

inline constexpr std::string_view kKueueApi = "kueue.x-k8s.io/";  // its apiVersions begin so
inline constexpr std::string_view kKueueQueue = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kKueueRequired = "kueue.x-k8s.io/podset-required-topology";
inline constexpr std::string_view kKueuePreferred = "kueue.x-k8s.io/podset-preferred-topology";
inline constexpr std::string_view kKueueUnconstrained =
    "kueue.x-k8s.io/podset-unconstrained-topology";
inline constexpr std::string_view kKueueSliceRequired =
    "kueue.x-k8s.io/podset-slice-required-topology";
inline constexpr std::string_view kKueueSliceSize = "kueue.x-k8s.io/podset-slice-size";
inline constexpr std::string_view kKueueSliceLayers =
    "kueue.x-k8s.io/podset-slice-required-topology-constraints";
inline constexpr std::string_view kKueueGroup = "kueue.x-k8s.io/podset-group-name";
// On a Job: with how many pods, fewer than all, it may begin.
// https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#partial-admission
inline constexpr std::string_view kKueueMinParallelism = "kueue.x-k8s.io/job-min-parallelism";
// Of plain pods that are admitted together: a label that names the group, and how many they are.
// https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/
inline constexpr std::string_view kKueuePodGroup = "kueue.x-k8s.io/pod-group-name";
inline constexpr std::string_view kKueuePodGroupCount = "kueue.x-k8s.io/pod-group-total-count";

// The three of which a pod set may have one.
inline constexpr std::array<std::string_view, 3> kKueuePlacements = {
    kKueueRequired, kKueuePreferred, kKueueUnconstrained};

}  // namespace tpu_admission::workload
