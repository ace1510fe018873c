#include "tpu_admission/workload/workload.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tpu_admission/base/text.h"
#include "workload/paths.h"
#include "workload/pod_set_reader.h"
#include "workload/scale.h"

namespace tpu_admission::workload {
namespace {

using k8s::JsonView;

constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kSliceTopology = "cloud.google.com/gke-tpu-slice-topology";
// Rules hold the containers of a pod against each other, and three megabytes are a hundred thousand
// containers: a stranger must not choose how long this takes. Real pods have a handful.
constexpr std::size_t kMaxContainers = 100;
constexpr std::size_t kMaxPodSets = 100;
constexpr std::array<std::string_view, 4> kCountFields = {"parallelism", "completions", "replicas",
                                                          "completionMode"};
constexpr std::string_view kSubGroups = "subGroupPolicy";
constexpr std::array<std::string_view, 3> kWorkflowDefaults = {"nodeSelector", "affinity",
                                                               "tolerations"};
// What managedBy says where the kind's usual controller does the work.
constexpr std::array<std::string_view, 5> kOwnControllers = {
    "kubernetes.io/job-controller", "jobset.sigs.k8s.io/jobset-controller",
    "ray.io/kuberay-operator", "trainer.kubeflow.org/trainjob-controller",
    "kubeflow.org/training-operator"};

bool IsManagedElsewhere(JsonView spec) {
  const std::string_view own = spec["managedBy"].StringOr("");
  const std::string_view manager = own.empty() ? spec["runPolicy"]["managedBy"].StringOr("") : own;
  return !manager.empty() && std::find(kOwnControllers.begin(), kOwnControllers.end(), manager) ==
                                 kOwnControllers.end();
}

// Whether an object of this kind is judged with all that its pods will be.
bool SpeaksForChildren(const Kind* kind) {
  return kind != nullptr && !kind->pod_sets.empty() && !kind->serves_others;
}

// All pod sets of the object, up to one more than can be judged.
Result<std::vector<PodSet>> ReadPodSets(const Kind& kind, JsonView object, k8s::Arena& arena) {
  std::vector<PodSet> sets;
  std::optional<Error> error;
  for (const PodSetRow& row : kind.pod_sets) {
    ForEachAt(object, row.path, [&](JsonView at, const Binding& binding) {
      if (error || sets.size() > kMaxPodSets) return;
      const auto set = ReadPodSet(row, object, at, binding, arena);
      if (!set) error = set.error();
      if (set && *set) sets.push_back(**set);
    });
  }
  if (error) return *std::move(error);
  return sets;
}

bool IsTooLarge(const std::vector<PodSet>& sets) {
  return sets.size() > kMaxPodSets || std::any_of(sets.begin(), sets.end(), [](const PodSet& set) {
           return set.pod.spec.containers.size() > kMaxContainers;
         });
}

bool IsQueued(const PodSet& set) {
  return set.job_labels.Has(kQueueLabel) || set.pod.metadata.labels.Has(kQueueLabel);
}

void ReadGovernance(Workload& workload, const KindTable& kinds, JsonView object,
                    const std::vector<PodSet>& sets) {
  const JsonView spec = object["spec"];
  workload.metadata = k8s::DecodeMeta(object["metadata"]);
  workload.queued = workload.metadata.labels.Has(kQueueLabel) || spec["suspend"].IsTrue() ||
                    spec["runPolicy"]["suspend"].IsTrue() ||
                    std::any_of(sets.begin(), sets.end(), IsQueued);
  workload.managed_elsewhere = IsManagedElsewhere(spec);
  workload.has_known_parent = !workload.metadata.controller_kind.empty() &&
                              SpeaksForChildren(kinds.Find(workload.metadata.controller_group,
                                                           workload.metadata.controller_kind));
}

bool ShapesSlice(Counting counting) {
  return counting == Counting::kPerSlice || counting == Counting::kGroup;
}

bool SameShape(const PodSetRow& row, JsonView before, JsonView after, const Binding& binding) {
  const JsonView old_counts = Locate(before, row.counts, binding);
  const JsonView new_counts = Locate(after, row.counts, binding);
  return Equal(old_counts[row.count], new_counts[row.count]) &&
         Equal(old_counts[kSubGroups], new_counts[kSubGroups]);
}

// What the templates of a workflow take from it.
bool SameDefaults(const PodSetRow& row, JsonView before, JsonView after) {
  const std::string_view workflow = row.path.substr(0, row.path.rfind('/'));
  const JsonView old_workflow = Locate(before, workflow, {});
  const JsonView new_workflow = Locate(after, workflow, {});
  return std::all_of(kWorkflowDefaults.begin(), kWorkflowDefaults.end(),
                     [&](auto field) { return Equal(old_workflow[field], new_workflow[field]); });
}

bool SamePodsAt(const PodSetRow& row, JsonView before, JsonView after, const Binding& binding) {
  const JsonView old_set = Locate(before, row.path, binding);
  const JsonView new_set = Locate(after, row.path, binding);
  if (ShapesSlice(row.counting) && !SameShape(row, before, after, binding)) return false;
  if (row.form == Form::kArgoTemplate && !SameDefaults(row, before, after)) return false;
  if (row.form != Form::kPod) return Equal(old_set, new_set);
  // A Pod's own metadata changes all the time; that of a template only by its author.
  const bool same_annotations = row.path.empty() || Equal(old_set["metadata"]["annotations"],
                                                          new_set["metadata"]["annotations"]);
  return same_annotations && Equal(old_set["spec"], new_set["spec"]);
}

bool SameCountsAt(const PodSetRow& row, JsonView before, JsonView after, const Binding& binding) {
  if (row.count.empty()) return true;
  const JsonView old_counts = Locate(before, row.counts, binding);
  const JsonView new_counts = Locate(after, row.counts, binding);
  const bool same_slices = row.slices.empty() || Equal(Locate(before, row.slices, binding),
                                                       Locate(after, row.slices, binding));
  return same_slices &&
         std::all_of(kCountFields.begin(), kCountFields.end(), [&](std::string_view field) {
           return Equal(old_counts[field], new_counts[field]);
         });
}

using SameAt = bool (*)(const PodSetRow&, JsonView, JsonView, const Binding&);

// True if the row goes to the same places in both objects, and `same` holds for each.
bool SameEverywhere(const PodSetRow& row, JsonView before, JsonView after, SameAt same) {
  std::size_t there = 0;
  std::size_t still_there = 0;
  bool all = true;
  ForEachAt(before, row.path, [&](JsonView, const Binding&) { ++there; });
  ForEachAt(after, row.path, [&](JsonView, const Binding& binding) {
    ++still_there;
    all = all && same(row, before, after, binding);
  });
  return all && there == still_there;
}

bool SameInAllRows(const Kind& kind, JsonView before, JsonView after, SameAt same) {
  return std::all_of(kind.pod_sets.begin(), kind.pod_sets.end(), [&](const PodSetRow& row) {
    return SameEverywhere(row, before, after, same);
  });
}

}  // namespace

std::optional<std::string_view> PodSet::SliceTopology() const {
  return pod.metadata.annotations.Find(kSliceTopology);
}

Result<Workload> ReadWorkload(const KindTable& kinds, const k8s::GroupVersionKind& gvk,
                              JsonView object, k8s::Arena& arena) {
  Workload workload;
  workload.kind = kinds.Find(gvk.group, gvk.kind);
  if (workload.kind == nullptr) return workload;
  const Result<std::vector<PodSet>> read = ReadPodSets(*workload.kind, object, arena);
  if (!read) return read.error();
  workload.too_large = IsTooLarge(*read);
  if (read->empty() || workload.too_large) return workload;
  ReadGovernance(workload, kinds, object, *read);
  const std::span<PodSet> sets = arena.Array<PodSet>(read->size());
  std::copy(read->begin(), read->end(), sets.begin());
  CombineScales(*workload.kind, object, sets);
  workload.pod_sets = sets;
  return workload;
}

bool SamePods(const Kind& kind, JsonView before, JsonView after) {
  return SameInAllRows(kind, before, after, SamePodsAt);
}

bool SamePodsAndCounts(const Kind& kind, JsonView before, JsonView after) {
  return SamePods(kind, before, after) && SameInAllRows(kind, before, after, SameCountsAt);
}

std::string Title(const Workload& workload) {
  const std::string kind(workload.kind->name);
  if (!workload.metadata.name.empty()) return kind + " " + Quoted(workload.metadata.name);
  if (workload.metadata.generate_name.empty()) return kind;
  return kind + " " + Quoted(std::string(workload.metadata.generate_name) + "*");
}

}  // namespace tpu_admission::workload
