#include "tpu_admission/workload/workload.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/jobset_keys.h"
#include "tpu_admission/workload/kueue_keys.h"
#include "workload/argo.h"
#include "workload/paths.h"
#include "workload/pod_set_reader.h"
#include "workload/scale.h"

namespace tpu_admission::workload {
namespace {

using k8s::JsonView;

// What a pod set costs by itself, in entries.
constexpr std::size_t kWorkOfAPodSet = 50;
constexpr std::array<std::string_view, 6> kCountFields = {
    "parallelism", "completions", "replicas", "completionMode", "minReplicas", "maxReplicas"};
constexpr std::string_view kSubGroups = "subGroupPolicy";
constexpr std::array<std::string_view, 5> kWorkflowDefaults = {
    "nodeSelector", "affinity", "tolerations", "templateDefaults", "podSpecPatch"};
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

bool IsWorkflow(const Kind& kind) {
  return std::any_of(kind.pod_sets.begin(), kind.pod_sets.end(),
                     [](const PodSetRow& row) { return row.form == Form::kArgoTemplate; });
}

// Whether an object of the kind `owner` is judged with all that the pods of its `child` will be.
// What the steps of a workflow make of manifests of their own is its child too, and nobody has
// judged it.
bool SpeaksForChild(const Kind* owner, const Kind& child) {
  if (owner == nullptr || owner->pod_sets.empty() || owner->serves_others) return false;
  return !IsWorkflow(*owner) || IsWorkflow(child) || (child.group.empty() && child.name == "Pod");
}

// All pod sets of the object that have to do with TPUs, up to one more than can be judged.
std::vector<PodSet> ReadPodSets(const Kind& kind, JsonView object, k8s::Decoder& decoder) {
  std::vector<PodSet> sets;
  PodSetReader reader(object, decoder);
  for (const PodSetRow& row : kind.pod_sets) {
    const auto crowded = ForEachAt(object, row.path, [&](JsonView at, const Binding& binding) {
      if (!decoder.exceeded().empty()) return;
      if (!reader.Read(row, at, binding, sets.emplace_back())) sets.pop_back();
      if (sets.size() > Workload::kMostPodSets) {
        decoder.Exceed(Workload::kMostPodSets, "pod templates with TPUs");
      }
    });
    if (!crowded.empty()) {
      decoder.Exceed(k8s::Decoder::kMost, std::string("entries in ").append(crowded));
    }
  }
  return sets;
}

std::size_t WorkOf(const std::vector<PodSet>& sets) {
  std::size_t work = 0;
  for (const PodSet& set : sets) {
    work += (kWorkOfAPodSet + set.entries) * std::max<std::size_t>(1, set.nodes.choices.size());
  }
  return work;
}

std::size_t TpuContainersOf(const std::vector<PodSet>& sets) {
  std::size_t count = 0;
  for (const PodSet& set : sets) {
    count += std::size_t(
        std::count_if(set.pod.spec.containers.begin(), set.pod.spec.containers.end(), UsesTpu));
  }
  return count;
}

// Why not all of `sets` can be judged; empty: it can.
std::string_view Unjudged(const std::vector<PodSet>& sets) {
  const bool crowded =
      std::any_of(sets.begin(), sets.end(), [](const PodSet& set) { return set.nodes.too_many; });
  return crowded ? "its choice of nodes, which has more than 32 alternatives" : "";
}

bool AsksToBeSkipped(const k8s::ObjectMeta& metadata) {
  const auto asks = metadata.annotations.Find(kGkeSkipTpuCheck);
  return asks && (*asks == "true" || IsPlaceholder(*asks));
}

std::vector<Slip> SlipsOf(JsonView object, const k8s::Decoder& decoder) {
  std::vector<Slip> slips;
  for (const k8s::Slip& slip : decoder.slips()) {
    Slip found{PointerTo(object, slip.value), slip.problem};  // metadata may be read twice
    if (std::find(slips.begin(), slips.end(), found) == slips.end()) {
      slips.push_back(std::move(found));
    }
  }
  return slips;
}

bool IsQueued(const PodSet& set) {
  return set.job_labels.Has(kKueueQueue) || set.pod.metadata.labels.Has(kKueueQueue);
}

void ReadGovernance(Workload& workload, const KindTable& kinds, JsonView object,
                    const std::vector<PodSet>& sets) {
  const JsonView spec = object["spec"];
  workload.queued = workload.metadata.labels.Has(kKueueQueue) || spec["suspend"].IsTrue() ||
                    spec["runPolicy"]["suspend"].IsTrue() ||
                    std::any_of(sets.begin(), sets.end(), IsQueued);
  workload.managed_elsewhere = IsManagedElsewhere(spec);
  const k8s::ObjectMeta& metadata = workload.metadata;
  workload.has_known_parent =
      !metadata.controller_kind.empty() &&
      SpeaksForChild(kinds.Find(metadata.controller_group, metadata.controller_kind),
                     *workload.kind);
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
  const std::string_view workflow = WorkflowPath(row.path);
  const JsonView old_workflow = Locate(before, workflow, {});
  const JsonView new_workflow = Locate(after, workflow, {});
  return std::all_of(kWorkflowDefaults.begin(), kWorkflowDefaults.end(),
                     [&](auto field) { return Equal(old_workflow[field], new_workflow[field]); });
}

bool SamePodsAt(const PodSetRow& row, JsonView before, JsonView after, const Binding& binding) {
  const JsonView old_set = Locate(before, row.path, binding);
  const JsonView new_set = Locate(after, row.path, binding);
  if (ShapesSlice(row.counting) && !SameShape(row, before, after, binding)) return false;
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

// True if the row goes to the same places in both objects, and `same` holds for each. Objects with
// more of them than can be judged are not compared.
bool SameEverywhere(const PodSetRow& row, JsonView before, JsonView after, SameAt same) {
  std::size_t there = 0;
  std::size_t still_there = 0;
  bool all = true;
  if (!ForEachAt(before, row.path, [&](JsonView, const Binding&) { ++there; }).empty()) {
    return false;
  }
  const auto crowded = ForEachAt(after, row.path, [&](JsonView, const Binding& binding) {
    ++still_there;
    all = all && same(row, before, after, binding);
  });
  return all && there == still_there && crowded.empty();
}

bool SameInAllRows(const Kind& kind, JsonView before, JsonView after, SameAt same) {
  return std::all_of(kind.pod_sets.begin(), kind.pod_sets.end(), [&](const PodSetRow& row) {
    return SameEverywhere(row, before, after, same);
  });
}

}  // namespace

std::optional<std::string_view> PodSet::SliceTopology() const {
  const auto text = pod.metadata.annotations.Find(kGkeSliceTopology);
  return text && text->empty() ? std::nullopt : text;
}

Result<Workload> ReadWorkload(const KindTable& kinds, const k8s::GroupVersionKind& gvk,
                              JsonView object, k8s::Arena& arena) {
  Workload workload;
  workload.kind = kinds.Find(gvk.group, gvk.kind);
  if (workload.kind == nullptr) return workload;
  k8s::Decoder decoder(arena);
  const std::vector<PodSet> read = ReadPodSets(*workload.kind, object, decoder);
  if (decoder.error()) return *decoder.error();
  if (read.empty() && decoder.exceeded().empty()) return workload;
  const bool is_pod = read.size() == 1 && read.front().row->path.empty();
  workload.metadata = is_pod ? read.front().pod.metadata  // the object's own
                             : k8s::DecodeMeta(object["metadata"], decoder);
  if (WorkOf(read) > Workload::kMostWork) {
    decoder.Exceed(Workload::kMostWork, "entries times alternatives of nodes");
  }
  if (TpuContainersOf(read) > Workload::kMostTpuContainers) {
    decoder.Exceed(Workload::kMostTpuContainers, "containers that ask for TPUs");
  }
  workload.not_judged = decoder.exceeded();
  workload.too_large = !workload.not_judged.empty() && (!read.empty() || MentionsTpus(object));
  if (!workload.too_large) workload.not_judged = Unjudged(read);
  if (read.empty() || workload.too_large) return workload;
  ReadGovernance(workload, kinds, object, read);
  workload.slips = SlipsOf(object, decoder);
  if (workload.kind->name == "JobSet") workload.pathways_words = WordsToPathways(object);
  const std::span<PodSet> sets = arena.Array<PodSet>(read.size());
  std::copy(read.begin(), read.end(), sets.begin());
  for (PodSet& set : sets) {
    set.skips_checks = AsksToBeSkipped(workload.metadata) || AsksToBeSkipped(set.pod.metadata);
  }
  CombineScales(*workload.kind, object, sets);
  workload.pod_sets = sets;
  return workload;
}

bool SamePods(const Kind& kind, JsonView before, JsonView after) {
  const bool same_defaults =
      std::all_of(kind.pod_sets.begin(), kind.pod_sets.end(), [&](const PodSetRow& row) {
        return row.form != Form::kArgoTemplate || SameDefaults(row, before, after);
      });
  return same_defaults && SameInAllRows(kind, before, after, SamePodsAt);
}

bool SamePodsAndCounts(const Kind& kind, JsonView before, JsonView after) {
  return SamePods(kind, before, after) && SameInAllRows(kind, before, after, SameCountsAt);
}

const PodSet* LeaderOf(std::span<const PodSet> sets) {
  const auto leader =
      std::find_if(sets.begin(), sets.end(), [](const PodSet& set) { return set.row->leads; });
  return leader == sets.end() ? nullptr : &*leader;
}

bool HasNodePoolOfItsOwn(const Workload& workload, const PodSet& pods) {
  const auto of_job = pods.job_annotations.Find(kJobSetExclusiveTopology);
  const auto of_all = workload.metadata.annotations.Find(kJobSetExclusiveTopology);
  return of_job.value_or(of_all.value_or("")) == kGkeNodePool;
}

std::optional<std::int64_t> PodsWithOthers(const Workload& workload, const PodSet& pods,
                                           std::int64_t pods_of_slice) {
  constexpr std::int64_t kMost = 100'000;  // of each factor
  if (pods.row->name.empty() || pods.scale.counting != Counting::kJob) return std::nullopt;
  if (pods_of_slice < 2 || pods.scale.tpu_pods.value_or(0) % pods_of_slice == 0)
    return std::nullopt;
  if (HasNodePoolOfItsOwn(workload, pods)) return std::nullopt;
  std::int64_t all = 0;
  int sets = 0;
  for (const PodSet& set : workload.pod_sets) {
    if (set.row != pods.row || set.use != pods.use) continue;
    if (HasNodePoolOfItsOwn(workload, set)) continue;
    const std::int64_t each = set.scale.tpu_pods.value_or(-1);
    const std::int64_t jobs = set.scale.slices.value.value_or(-1);
    if (each == 0 || jobs == 0 || each % pods_of_slice == 0) continue;
    if (set.SliceTopology() != pods.SliceTopology()) continue;
    const Together together = GoTogether(set.nodes, pods.nodes);
    if (together == Together::kNo) continue;
    if (together == Together::kMaybe || std::min(each, jobs) < 0 || std::max(each, jobs) > kMost) {
      return std::nullopt;
    }
    all += each * jobs;
    ++sets;
  }
  return sets > 1 ? std::optional(all) : std::nullopt;
}

std::string Title(const Workload& workload) {
  const std::string kind(workload.kind->name);
  if (!workload.metadata.name.empty()) return kind + " " + Quoted(workload.metadata.name);
  if (workload.metadata.generate_name.empty()) return kind;
  return kind + " " + Quoted(std::string(workload.metadata.generate_name) + "*");
}

}  // namespace tpu_admission::workload
