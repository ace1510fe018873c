// What single rules ask of a choice of nodes (TpuUse::kChoice) beside its labels: looked up when
// asked.
#pragma once

#include <string_view>

#include "tpu_admission/workload/workload.h"

namespace tpu_admission::workload {

// What a priority of a ComputeClass says of the machines that GKE is to make, beside their TPUs.
// https://cloud.google.com/kubernetes-engine/docs/reference/crds/computeclass
struct ClassPriority {
  bool spot = false;
  bool flex_start = false;
  // Of `reservations`; empty: none are used.
  std::string_view reservation_affinity;
  bool names_reservation = false;
  std::string_view machine_family;

  bool reserved() const { return !reservation_affinity.empty() || names_reservation; }
};
// All absent where `choice` is something else.
ClassPriority ReadClassPriority(const PodSet& choice);

// The resource profile that a Model of KubeAI names; empty where `choice` is something else.
std::string_view ResourceProfileOf(const PodSet& choice);

}  // namespace tpu_admission::workload
