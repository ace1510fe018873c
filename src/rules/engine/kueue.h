// The annotations of a pod template by which Kueue's topology-aware scheduling places its pods.
// https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "rules/engine/subject.h"
#include "tpu_admission/base/json_pointer.h"

namespace tpu_admission::rules {

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

// The three of which a pod set may have one.
inline constexpr std::array<std::string_view, 3> kKueuePlacements = {
    kKueueRequired, kKueuePreferred, kKueueUnconstrained};

// The JSON pointer of an annotation of the pods.
inline std::string AtAnnotation(const Subject& subject, std::string_view key) {
  std::string pointer = subject.AtMetadata("/annotations");
  AppendPointerToken(pointer, key);
  return pointer;
}

}  // namespace tpu_admission::rules
