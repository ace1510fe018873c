// A Kubernetes object seen as TPU workload: its pod sets, their scale, and who governs it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tpu_admission/base/result.h"
#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/pod.h"
#include "tpu_admission/k8s/review.h"
#include "tpu_admission/workload/kinds.h"
#include "tpu_admission/workload/node_selection.h"

namespace tpu_admission::workload {

// A count of an object: what is written, or the API's default. No value: something is written that
// is no number (a placeholder), so nothing can be said.
struct Count {
  std::string_view field;  // "parallelism"
  bool written = false;
  std::optional<std::int64_t> value;
};

struct Scale {
  Counting counting = Counting::kNone;
  std::string_view pointer;  // JSON pointer of the object that holds the counts
  Count pods;                // how many run at once: parallelism or replicas
  Count completions;         // kJob: only if written
  bool indexed = false;      // kJob: completionMode Indexed
};

// One pod template with its scale. Views live as long as the review's JSON and the arena.
struct PodSet {
  std::string_view pointer;  // JSON pointer of the pod template; "" for a Pod
  k8s::Pod pod;
  NodeSelection nodes;
  Scale scale;

  // The chips that run at once: the sum over containers and sidecars; 0 if one cannot be read.
  std::int64_t chips_per_pod = 0;
  // The topology that is cut out of a larger slice for this pod set (GKE sub- and super-slices).
  std::optional<std::string_view> SliceTopology() const;
};

struct Workload {
  const Kind* kind = nullptr;
  k8s::ObjectMeta metadata;
  // Kueue decides where and when it runs: a queue label, or suspended until then.
  bool queued = false;
  // spec.managedBy names another controller (MultiKueue): it runs in some other cluster.
  bool managed_elsewhere = false;
  // Its controller owner is of a kind in the table: that one was judged.
  bool has_known_parent = false;
  // It uses TPUs, but has more than a hundred containers: too many to judge, so it has no pod sets.
  bool too_many_containers = false;
  std::span<const PodSet> pod_sets;  // only those with a container that asks for google.com/tpu
};

// Reads `object` by the row of its kind; no row, or no TPU in it, gives a workload without pod
// sets. The error is that of k8s::DecodePod, or too many containers in a TPU pod.
Result<Workload> ReadWorkload(const k8s::GroupVersionKind& gvk, k8s::JsonView object,
                              k8s::Arena& arena);

// True if an UPDATE left every pod template as it was: its spec, and the annotations by which slices
// are cut.
bool SamePods(const Kind& kind, k8s::JsonView before, k8s::JsonView after);
// And every count too.
bool SamePodsAndCounts(const Kind& kind, k8s::JsonView before, k8s::JsonView after);

// `Job "train"`, or `Pod "worker-" (generated name)`.
std::string Title(const Workload& workload);

}  // namespace tpu_admission::workload
