#include <fmt/core.h>
#include <limits>

#include "rules/TPU206_kueue_topology/annotations.h"
#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace tpu206 {

void CheckPlacements(Annotations& annotations) {
  std::vector<std::string> found;
  std::string_view last;
  for (const std::string_view key : workload::kKueuePlacements) {
    if (!annotations.Has(key)) continue;
    found.emplace_back(Short(key));
    last = key;
  }
  if (found.size() < 2) return;
  annotations.Fault(
      last, fmt::format("only one of {} may be set", JoinOr(found)),
      fmt::format("stands beside {}, but a pod set has only one of these annotations.",
                  found.front()),
      fmt::format("keep {}", JoinOr(found)));
}

void CheckPairs(Annotations& annotations) {
  const bool size = annotations.Has(workload::kKueueSliceSize);
  const bool topology = annotations.Has(workload::kKueueSliceRequired);
  if (size == topology) return;
  const std::string_view here = size ? workload::kKueueSliceSize : workload::kKueueSliceRequired;
  const std::string_view missing =
      Short(size ? workload::kKueueSliceRequired : workload::kKueueSliceSize);
  annotations.Fault(here, fmt::format("{} is set without {}", Short(here), missing),
                    fmt::format("is set without {}: one says how many pods a slice has, the other "
                                "where they must be together.",
                                missing),
                    fmt::format("add kueue.x-k8s.io/{}, or remove {}", missing, Short(here)));
}

// That fill the slice which the pods ask for, where their annotation says which; 0: it does not.
std::int64_t PodsOfSlice(const workload::PodSet& set) {
  const std::optional<tpu::Topology> slice = NamedSlice(set);
  const bool known = slice && set.chips_per_pod > 0 && slice->chips() % set.chips_per_pod == 0;
  return known ? slice->chips() / set.chips_per_pod : 0;
}

// Kueue may place a slice block by block, but it begins only as a whole.
void CheckWholes(Annotations& annotations, std::int64_t size, std::int64_t pods) {
  const std::int64_t whole = PodsOfSlice(annotations.subject().pods);
  if (whole <= size || pods % whole == 0) return;
  const std::string slice(*annotations.subject().pods.SliceTopology());
  annotations.Doubt(
      workload::kKueueSliceSize,
      fmt::format("{} do not fill slices of {}: each takes {}", Counted(pods, "pod"), slice, whole),
      fmt::format(
          "lets Kueue place the pods {} by {}, but a slice of {} begins only when all its {} "
          "run, and there are {}.",
          size, size, slice, Counted(whole, "pod"), pods),
      fmt::format("set the pods to a multiple of {}", whole));
}

// https://github.com/kubernetes-sigs/kueue/issues/15277: it waits, and nobody says why.
void CheckDivides(Annotations& annotations, std::int64_t size, std::int64_t pods) {
  if (pods % size == 0) return CheckWholes(annotations, size, pods);
  const std::string_view name = Short(workload::kKueueSliceSize);
  const std::int64_t whole = PodsOfSlice(annotations.subject().pods);
  annotations.Doubt(
      workload::kKueueSliceSize,
      fmt::format("{} {} does not divide the {}", name, size, Counted(pods, "pod")),
      fmt::format("is {}, but there are {}, which are no whole slices: Kueue never starts them. "
                  "Version 0.15 admits them, and leaves its scheduling gate on the pods.",
                  size, Counted(pods, "pod")),
      whole > 0 ? fmt::format("set the pods to a multiple of {}", whole)
                : fmt::format("set {} to a number that divides {}, or the pods to a multiple of {}",
                              name, pods, size));
}

void CheckSize(Annotations& annotations) {
  const std::string_view text = annotations.Value(workload::kKueueSliceSize);
  if (text.empty()) return;
  const std::string_view name = Short(workload::kKueueSliceSize);
  const std::optional<std::int64_t> size = SliceSize(text);
  if (!size || *size < 1 || *size > std::numeric_limits<std::int32_t>::max()) {
    return annotations.Fault(
        workload::kKueueSliceSize, fmt::format("{} {} is no number of pods", name, Quoted(text)),
        fmt::format("is {}, but must be a whole number of at least 1.", Quoted(text)),
        fmt::format("set {} to the number of pods on one slice", name));
  }
  const std::optional<std::int64_t> pods = KueuePods(annotations.subject().pods.scale);
  if (!pods) return;
  if (*size <= *pods) return CheckDivides(annotations, *size, *pods);
  annotations.Fault(
      workload::kKueueSliceSize,
      fmt::format("{} is {}, but there are only {}", name, *size, Counted(*pods, "pod")),
      fmt::format("is {}, but all in all there {}{}.", *size, *pods == 1 ? "is " : "are ",
                  Counted(*pods, "pod")),
      fmt::format("set {} to the number of pods on one slice, at most {}", name, *pods));
}

// kubernetes-sigs/kueue pkg/controller/jobframework/tas_validation.go,
// ValidatePodSetGroupingTopology: two pod sets, of which one is a single pod, with the same
// topology. A pod set that has nothing to do with TPUs is not seen here; with it they would be too
// many.
void CheckMembers(Annotations& annotations, std::string_view group) {
  const workload::PodSet* first = nullptr;
  const workload::PodSet& last = annotations.subject().pods;
  int members = 0;
  for (const workload::PodSet& set : annotations.subject().workload.pod_sets) {
    if (set.pod.metadata.annotations.Find(workload::kKueueGroup) != group) continue;
    ++members;
    if (set.pointer == last.pointer) break;
    first = &set;
  }
  if (first == nullptr) return;
  const auto refused = [&](std::string summary, std::string problem) {
    annotations.Doubt(workload::kKueueGroup, std::move(summary),
                      std::move(problem) + " Kueue's own webhook refuses this.",
                      "make groups of two pod sets, of which one is a single pod");
  };
  const std::string_view name = Short(workload::kKueueGroup);
  if (members > 2) {
    return refused(fmt::format("{} {} has more than two pod sets", name, Quoted(group)),
                   fmt::format("is {}, as of other pod sets, but a group has two.", Quoted(group)));
  }
  const auto one = KueuePods(first->scale);
  const auto other = KueuePods(last.scale);
  if (one && other && *one != 1 && *other != 1) {
    return refused(fmt::format("{} {} has two sets of several pods", name, Quoted(group)),
                   fmt::format("is {}, a group of {} and {}, but one of its two sets must be a "
                               "single pod.",
                               Quoted(group), Counted(*one, "pod"), Counted(*other, "pod")));
  }
  const k8s::StringMap& theirs = first->pod.metadata.annotations;
  const k8s::StringMap& own = last.pod.metadata.annotations;
  for (const std::string_view key : {workload::kKueueRequired, workload::kKueuePreferred}) {
    if (theirs.Find(key) == own.Find(key)) continue;
    return annotations.Doubt(
        workload::kKueueGroup, fmt::format("{} {} has two topologies", name, Quoted(group)),
        fmt::format("is {}, as of another pod set, but they do not have the same {}. Kueue's own "
                    "webhook refuses this.",
                    Quoted(group), Short(key)),
        fmt::format("give both the same {}", Short(key)));
  }
}

void CheckGroup(Annotations& annotations) {
  if (!annotations.Has(workload::kKueueGroup)) return;
  const std::string_view group = annotations.Value(workload::kKueueGroup);
  const std::string_view name = Short(workload::kKueueGroup);
  if (!group.empty() && group.find_first_not_of("0123456789") == group.npos) {
    annotations.Fault(
        workload::kKueueGroup, fmt::format("{} {} is a number", name, Quoted(group)),
        fmt::format("is {}, but the name of a group must not be a number.", Quoted(group)),
        fmt::format("set {} to a name such as \"group-{}\"", name, Printable(group)));
  }
  for (const std::string_view key :
       {workload::kKueueSliceSize, workload::kKueueSliceRequired, workload::kKueueSliceLayers}) {
    if (!annotations.Has(key)) continue;
    return annotations.Doubt(
        workload::kKueueGroup, fmt::format("{} beside {} needs a feature gate", name, Short(key)),
        fmt::format("stands beside {}. Kueue places the pod sets of a group slice by slice only "
                    "with its feature gate TASGroupedPodSetSlicing, and refuses such a {} unless "
                    "that is on.",
                    Short(key), annotations.subject().workload.kind->name),
        "remove one of them where the gate is off");
  }
  if (!group.empty()) CheckMembers(annotations, group);
  if (annotations.Has(workload::kKueueRequired) || annotations.Has(workload::kKueuePreferred))
    return;
  annotations.Fault(
      workload::kKueueGroup, fmt::format("{} is set without a topology", name),
      fmt::format("is set, but neither {} nor {} says where the group must be together.",
                  Short(workload::kKueueRequired), Short(workload::kKueuePreferred)),
      fmt::format("add {} or {}, or remove {}", Short(workload::kKueueRequired),
                  Short(workload::kKueuePreferred), name));
}

void CheckLayers(Annotations& annotations) {
  if (!annotations.Has(workload::kKueueSliceLayers)) return;
  for (const std::string_view key : {workload::kKueueSliceSize, workload::kKueueSliceRequired}) {
    if (!annotations.Has(key)) continue;
    return annotations.Fault(
        workload::kKueueSliceLayers,
        fmt::format("{} may not stand beside {}", Short(workload::kKueueSliceLayers), Short(key)),
        fmt::format("stands beside {}, but it says all of the slices by itself.", Short(key)),
        fmt::format("remove {}", Short(key)));
  }
}

// The values that Go's strconv.ParseBool reads, which is what Kueue uses.
constexpr std::array<std::string_view, 12> kBooleans = {"1", "t", "T", "true",  "TRUE",  "True",
                                                        "0", "f", "F", "false", "FALSE", "False"};

void CheckUnconstrained(Annotations& annotations) {
  const std::string_view value = annotations.Value(workload::kKueueUnconstrained);
  if (value.empty()) return;
  if (std::find(kBooleans.begin(), kBooleans.end(), value) != kBooleans.end()) return;
  annotations.Fault(workload::kKueueUnconstrained,
                    fmt::format("{} {} is neither true nor false",
                                Short(workload::kKueueUnconstrained), Quoted(value)),
                    fmt::format("is {}, but must be true or false.", Quoted(value)),
                    fmt::format("set {} to \"true\"", Short(workload::kKueueUnconstrained)));
}

// A key that Kueue does not know, for its own begin otherwise.
void CheckApi(Annotations& annotations, std::string_view key) {
  constexpr std::string_view kMistaken = "kueue.k8s.io/";
  if (!key.starts_with(kMistaken)) return;
  const std::string right = std::string(workload::kKueueApi).append(Short(key));
  annotations.Doubt(
      key, fmt::format("{} is no key of Kueue's", Printable(key)),
      fmt::format("is no key of Kueue's: those begin with {}, so Kueue does not look at it.",
                  workload::kKueueApi),
      annotations.Has(right) ? "remove it" : fmt::format("write {}", Printable(right)));
}

// Partial admission: Kueue may take pods away until so many are left.
// https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#partial-admission
void CheckPartialAdmission(const Subject& subject, Report& report) {
  const workload::Workload& job = subject.workload;
  const auto text = job.metadata.annotations.Find(workload::kKueueMinParallelism);
  if (!text || job.kind->name != "Job" || job.kind->group != "batch") return;
  const std::optional<std::int64_t> least = WholeNumber(*text);
  const std::optional<std::int64_t> pods = subject.pods.scale.pods.value;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!least || *least < 1 || !pods || *least >= *pods || !slice) return;
  const std::string pointer = PointerBelow("/metadata/annotations", workload::kKueueMinParallelism);
  report.Add({.pointer = pointer,
              .part = std::string(workload::kKueueMinParallelism),
              .summary = fmt::format("Kueue may start it with {}, a slice of {} takes {}",
                                     Counted(*least, "pod"), slice->topology.Text(), slice->pods),
              .problem = fmt::format(
                  "lets Kueue start the Job with {} to {} where there is not room for all {}, but "
                  "a slice of {} begins only when all its {} run.",
                  *least, Counted(*pods - 1, "pod"), *pods, slice->topology.Text(),
                  Counted(slice->pods, "pod")),
              .edits = {{pointer, std::nullopt}},
              .milder = Mode::kWarn});
}

void Check(const Subject& subject, Report& report) {
  CheckPartialAdmission(subject, report);
  const k8s::StringMap& all = subject.pods.pod.metadata.annotations;
  if (all.size() == 0) return;
  Annotations annotations(subject, report);
  for (std::size_t i = 0; i < all.size() && !report.full(); ++i) CheckApi(annotations, all.Key(i));
  CheckPlacements(annotations);
  CheckPairs(annotations);
  CheckSize(annotations);
  CheckLevels(annotations);
  CheckGroup(annotations);
  CheckLayers(annotations);
  CheckUnconstrained(annotations);
}

}  // namespace tpu206

const Rule kTPU206 = {
    .id = "TPU206",
    .name = "kueue-topology",
    .mode = Mode::kDeny,
    .judges_counts = true,
    .check = tpu206::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
