// A Kubernetes object seen as TPU workload: its pod sets, their scale, and who governs it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/decoder.h"
#include "tpu_admission/k8s/gvk.h"
#include "tpu_admission/k8s/pod.h"
#include "tpu_admission/workload/chips.h"
#include "tpu_admission/workload/kinds.h"
#include "tpu_admission/workload/node_selection.h"
#include "tpu_admission/workload/pathways.h"

namespace tpu_admission::workload {

// A count of an object: what is written, or the API's default. No value: something is written that
// is no number (a placeholder), or nothing is in a kind of the policy, so nothing can be said.
struct Count {
  std::string_view holder;  // JSON pointer of the object that holds it
  std::string_view field;   // "parallelism"
  bool written = false;
  std::optional<std::int64_t> value;

  std::string pointer() const { return std::string(holder).append("/").append(field); }
};

struct PodSet;

struct Scale {
  Counting counting = Counting::kNone;
  std::string_view pointer;     // JSON pointer of the object that holds the counts
  Count pods;                   // as written: parallelism, replicas, numOfHosts or size
  Count completions;            // kJob: only if written
  Count slices;                 // how many times all this; 1 where the kind has no such count. Of
                                // kPerSlice what its minReplicas and maxReplicas make of it
  Count copies;                 // kNone: the pods, each by itself: replicas of a Deployment
  bool indexed = false;         // kJob: completionMode Indexed, or made so by the kind's controller
  bool may_be_indexed = false;  // or that is still to be filled in
  // No Service knows the names of the pods: a JobSet that wants none, a StatefulSet without
  // serviceName.
  bool nameless = false;
  std::string_view service;  // kReplicas: serviceName, which is to know them
  // kReplicas: the number in the name of the first pod. Nothing if that cannot be said.
  std::optional<std::int64_t> first_number;

  // The pods with TPUs that fill a slice, or several: those of this set, of its leader, of the
  // other templates of kTogether. Nothing if that cannot be said.
  std::optional<std::int64_t> tpu_pods;
  // Where that depends on whether another template goes to the same nodes, which nobody knows: the
  // fewer and the more of the two numbers. Else zeros.
  struct Either {
    std::int64_t fewest = 0;
    std::int64_t most = 0;
  };
  Either either;
  std::int64_t leaders_without_tpus = 0;  // kGroup: 1 if the group's leader is none of its workers
  bool leader_has_others = false;         // which then has chips of other nodes
  std::int64_t sub_group = 0;             // kGroup: subGroupSize; 0: the group is one slice
  // kGroup: the pods with TPUs of the first sub-group, where its leader makes it larger or smaller
  // than the others, of which tpu_pods speaks; else 0.
  std::int64_t first_sub_group = 0;
  bool has_sub_groups = false;   // kGroup: it has a subGroupPolicy, be its size readable or not
  bool leader_excluded = false;  // kGroup: the leader is in no sub-group
  bool shared = false;           // kTogether: other templates are counted in tpu_pods
  // kElsewhere: the set that fills slices with this one and has the counts of both; nullptr if none
  // does. Lives as long as the workload.
  const PodSet* counted_by = nullptr;
  // The other pods are made only when this one, or the one before it, is ready: a StatefulSet in
  // order, the leader of a LeaderWorkerSet with LeaderReady.
  bool waits_for_ready = false;
  // It has a dependsOn: its pods may be made only when those of other sets are done.
  bool depends_on_others = false;
  std::string_view group;          // of a JobSet: the groupName of the replicated job
  bool slices_may_change = false;  // kPerSlice: between bounds, so their number is not known
  // kPerSlice: minReplicas and maxReplicas, where they are written and can be read.
  std::optional<std::int64_t> fewest_slices;
  std::optional<std::int64_t> most_slices;
  Count elastic_slices;  // of a PathwaysJob: how many of its slices may be missing

  // Does this set say how many pods there are?
  bool is_counted() const {
    return counting != Counting::kNone && counting != Counting::kElsewhere;
  }
  // For now it is to be there no times, or without pods.
  bool has_no_slices() const { return slices.value == 0; }
  bool has_no_pods() const { return pods.value == 0; }
  // Of kNone: 1 where that is not known, or none is to run yet.
  std::int64_t copies_or_one() const { return std::max<std::int64_t>(1, copies.value.value_or(1)); }
  // The pods with TPUs that run at once, of all slices; nothing if that is not known.
  std::optional<std::int64_t> all_tpu_pods() const {
    constexpr std::int64_t kMost = 1'000'000;  // of each factor
    if (!is_counted() || slices_may_change || !tpu_pods || !slices.value) return std::nullopt;
    const std::int64_t each = *tpu_pods * sub_groups() + more_in_first();
    if (std::min(each, *slices.value) < 0 || std::max(each, *slices.value) > kMost) {
      return std::nullopt;
    }
    return each * *slices.value;
  }
  // The parts of a group that fill slices of their own: 1 where the group is not divided.
  std::int64_t sub_groups() const {
    if (sub_group <= 0 || !pods.value || tpu_pods.value_or(0) <= 0) return 1;
    const std::int64_t even = *pods.value - leaders_without_tpus - more_in_first();
    return std::max<std::int64_t>(1, even / *tpu_pods);
  }
  // The pods with TPUs that the first sub-group has more than the others, or less.
  std::int64_t more_in_first() const {
    return first_sub_group > 0 ? first_sub_group - tpu_pods.value_or(0) : 0;
  }
};

// What a pod set has to do with TPUs.
enum class TpuUse : unsigned {
  kChips = 1,         // a container asks for google.com/tpu
  kClaims = 2,        // selects TPU nodes and gets the devices by resource claims (DRA)
  kSelects = 4,       // selects TPU nodes, and asks for nothing
  kTolerates = 8,     // only tolerates the taint of TPU nodes
  kLegacy = 16,       // asks for cloud-tpus.google.com/*
  kChoice = 32,       // no pods: a choice of TPUs for others (ComputeClass, ResourceFlavor)
  kDeviceClaim = 64,  // no pods: a claim for TPU devices (DRA)
};
using TpuUses = unsigned;
constexpr TpuUses operator|(TpuUse a, TpuUse b) { return unsigned(a) | unsigned(b); }
constexpr TpuUses operator|(TpuUses a, TpuUse b) { return a | unsigned(b); }

// One request for TPU devices in a ResourceClaim.
struct DeviceRequest {
  std::size_t index = 0;  // in spec.devices.requests
  std::string_view name;
  bool all = false;             // allocationMode All
  std::int64_t count = 1;       // ExactCount
  bool has_selectors = false;   // CEL chooses among the devices
  std::string_view below = {};  // "/exactly" where the version has it
};

// Which pod set of an object: by the name of its list element where it has one, else by its path. A
// place in a list changes when something is put before it.
struct PodSetId {
  std::string_view path;
  std::string_view name;
  friend bool operator==(const PodSetId&, const PodSetId&) = default;
  friend auto operator<=>(const PodSetId&, const PodSetId&) = default;
};

// One pod template with its scale. Views live as long as the review's JSON and the arena.
struct PodSet {
  TpuUse use = TpuUse::kChips;
  const PodSetRow* row = nullptr;
  std::string_view pointer;           // JSON pointer of the pod template; "" for a Pod
  std::string_view spec_pointer;      // of the pod's spec: "/spec/template/spec"
  std::string_view selector_pointer;  // of what holds nodeSelector and affinity
  std::string_view name;              // "worker", where the kind names its pod sets
  k8s::Pod pod;
  NodeSelection nodes;
  Scale scale;
  std::span<const k8s::ClaimTemplate> claim_templates;  // of a StatefulSet or LWS
  k8s::StringMap job_labels;                       // of the Job or Job template around the pods
  k8s::StringMap job_annotations;                  // of the same
  std::span<const DeviceRequest> device_requests;  // kDeviceClaim: those for TPUs

  // The chips that run at once: the sum over containers and sidecars; 0 if one cannot be read. Of a
  // ComputeClass the chips of a node.
  std::int64_t chips_per_pod = 0;
  // What was decoded for it: by this the work of judging it grows.
  std::size_t entries = 0;
  // It asks to be left alone: cloud.google.com/skip-tpu-webhook-check: "true".
  bool skips_checks = false;
  // What is written is not all of it: a podSpecPatch of Argo's may set anything, or its selectors
  // come from several places. Its faults are only recorded; its pods are judged when they are made.
  bool is_patched = false;
  // Views `this` and the table of kinds.
  PodSetId id() const { return {name.empty() ? pointer : row->path, name}; }
  // The topology that is cut out of a larger slice for this pod set (GKE sub- and super-slices).
  std::optional<std::string_view> SliceTopology() const;
};

// The first of them that leads a group; nullptr: none does.
const PodSet* LeaderOf(std::span<const PodSet> sets);

// A value that is not what it must be, in an object that is judged all the same, as far as the
// value does not matter.
struct Slip {
  std::string pointer;  // JSON pointer in the object
  std::string problem;  // `nodeSelector "cloud.google.com/gke-spot" is not a string; quote it`
  friend bool operator==(const Slip&, const Slip&) = default;
};

class Companions;

struct Workload {
  // The work of judging grows with what a pod set holds, for each alternative of its nodes: the sum
  // over all pod sets is at most this. The largest of some hundred public manifests comes to 2,000.
  static constexpr std::size_t kMostWork = 30'000;
  static constexpr std::size_t kMostPodSets = 100;  // that have to do with TPUs
  // Of all pod sets together: each may have findings of its own.
  static constexpr std::size_t kMostTpuContainers = 500;

  const Kind* kind = nullptr;
  k8s::ObjectMeta metadata;
  // Kueue decides where and when it runs: a queue label, be it on the Job template of a CronJob or
  // on a pod template, or suspended until then.
  bool queued = false;
  // spec.managedBy names another controller (MultiKueue): it runs in some other cluster.
  bool managed_elsewhere = false;
  // Its controller owner is of a kind in the table: that one was judged.
  bool has_known_parent = false;
  // It has to do with TPUs, but holds more than can be judged, so it has no pod sets.
  bool too_large = false;
  // What of it was not judged, and why ("more than 100 containers"): all of it if it is too large,
  // else its choice of nodes. In the arena; empty: it was judged as a whole.
  std::string_view not_judged;
  std::vector<Slip> slips;                   // the first few
  std::vector<PathwaysWord> pathways_words;  // of a JobSet
  std::span<const PodSet> pod_sets;          // only those that have to do with TPUs
  // What stands beside it in the same file; nullptr where it came alone, as in a review.
  const Companions* companions = nullptr;
};

// Each Job of a JobSet gets a node pool to itself, by an annotation of the JobSet or of its
// template.
bool HasNodePoolOfItsOwn(const Workload& workload, const PodSet& pods);

// The replicated jobs of a JobSet are counted each for itself, and may fill slices together: a
// leader of one pod, and its three workers. The pods of all that surely go to the nodes of `pods`
// and do not fill slices of `pods_of_slice` alone, where they are some of them; nothing if there is
// no other such, or how many there are is not known.
std::optional<std::int64_t> PodsWithOthers(const Workload& workload, const PodSet& pods,
                                           std::int64_t pods_of_slice);

// Reads `object` by the row of its kind; no row, or no TPU in it, gives a workload without pod
// sets. The error is that of k8s::Decoder. What it costs is linear in the object, and bounded
// beyond what a look at its lists and maps costs.
Result<Workload> ReadWorkload(const KindTable& kinds, const k8s::GroupVersionKind& gvk,
                              k8s::JsonView object, k8s::Arena& arena);

// True if an UPDATE left every pod set as it was: the pod's spec, the annotations by which slices
// are cut, and the counts that shape a slice (numOfHosts, size).
bool SamePods(const Kind& kind, k8s::JsonView before, k8s::JsonView after);
// And every other count too.
bool SamePodsAndCounts(const Kind& kind, k8s::JsonView before, k8s::JsonView after);

// `Job "train"`, or `Pod "worker-*"` for a generated name.
std::string Title(const Workload& workload);

}  // namespace tpu_admission::workload
