// The workload kinds whose pods may use TPUs: where their pod templates stand and what their counts
// mean. A new kind is a row of the table in src/workload/kinds.cpp.
#pragma once

#include <span>
#include <string_view>

namespace tpu_admission::workload {

// What a kind's counts say about the pods of one template.
enum class Counting {
  kNone,      // each pod stands alone: Pod, Deployment, ReplicaSet, DaemonSet
  kJob,       // parallelism pods at a time, completions in all, Indexed or not
  kReplicas,  // replicas pods with stable names: StatefulSet
};

// Paths are member names joined by "/", without a leading one; "" is the object itself.
struct Kind {
  std::string_view group;         // "" is the core group
  std::string_view name;          // "Job"
  std::string_view pod_template;  // path of the pod template (of the pod itself for a Pod)
  std::string_view counts;        // path of the object that holds the counts
  Counting counting = Counting::kNone;
};

std::span<const Kind> Kinds();

// The row of a group and kind in any version; nullptr if there is none.
const Kind* FindKind(std::string_view group, std::string_view name);

}  // namespace tpu_admission::workload
