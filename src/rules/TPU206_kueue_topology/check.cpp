
#include <fmt/core.h>
#include <limits>

#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace tpu206 {

// Reports faults of the annotations of one pod set.
class Annotations {
 public:
  Annotations(const Subject& subject, Report& report)
      : subject_(subject), report_(report), map_(subject.pods.pod.metadata.annotations) {}

  bool Has(std::string_view key) const { return map_.Has(key); }
  // Empty also where a template engine has yet to fill the value in.
  std::string_view Value(std::string_view key) const {
    const std::string_view value = map_.Find(key).value_or("");
    return workload::IsPlaceholder(value) ? std::string_view() : value;
  }
  // `summary` begins with the short name of the annotation, `problem` is a sentence about it.
  void Fault(std::string_view key, std::string summary, std::string problem, std::string change) {
    report_.Add({.pointer = subject_.AtAnnotation(key),
                 .summary = std::move(summary),
                 .problem = std::move(problem) + Consequence(),
                 .change = std::move(change),
                 .decision = "how Kueue is to place the pods",
                 .milder = subject_.workload.queued ? std::nullopt : std::optional(Mode::kWarn)});
  }
  // Taken by Kueue's webhook and then never admitted, or refused by some versions of it only. The
  // edits, if any, say all of `change`, unless it goes on: ", or ...".
  void Doubt(std::string_view key, std::string summary, std::string problem, std::string change,
             workload::Edits edits = {}) {
    if (!edits.empty() && !change.starts_with(", ")) change.clear();
    report_.Add({.pointer = subject_.AtAnnotation(key),
                 .part = Printable(key),
                 .summary = std::move(summary),
                 .problem = std::move(problem),
                 .edits = std::move(edits),
                 .change = std::move(change),
                 .decision = "how Kueue is to place the pods",
                 .milder = Mode::kWarn});
  }

  const Subject& subject() const { return subject_; }

 private:
  std::string Consequence() const {
    const std::string kind(subject_.workload.kind->name);
    return subject_.workload.queued
               ? fmt::format(" Kueue's own webhook refuses such a {}.", kind)
               : fmt::format(" Kueue would refuse such a {} (it has no queue label yet).", kind);
  }

  const Subject& subject_;
  Report& report_;
  const k8s::StringMap& map_;
};

// "podset-slice-size" of a key of Kueue's.
std::string Short(std::string_view key) { return std::string(key.substr(key.find('/') + 1)); }

void CheckPlacements(Annotations& annotations) {
  std::vector<std::string> found;
  std::string_view last;
  for (const std::string_view key : workload::kKueuePlacements) {
    if (!annotations.Has(key)) continue;
    found.push_back(Short(key));
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
  const std::string missing =
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
  const std::string name = Short(workload::kKueueSliceSize);
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

// The slice that the pods ask for, if there are such slices.
std::optional<tpu::Topology> OfferedSlice(const Subject& subject) {
  const std::optional<tpu::Topology> slice = NamedSlice(subject.pods);
  return slice && Offers(subject.shape.generation, *slice) ? slice : std::nullopt;
}

// Of all pods together.
std::int64_t AskedChips(const Subject& subject) {
  return KueueChips(subject, KueuePods(subject.pods.scale));
}

// The whole slice that is selected, if all pods together fill it.
std::optional<tpu::Topology> FilledSlice(const Subject& subject) {
  const Shape& shape = subject.shape;
  const bool is_whole = !subject.pods.SliceTopology() && !shape.placements.empty() &&
                        AskedChips(subject) == shape.topology->chips();
  return is_whole ? shape.topology : std::nullopt;
}

// Names the level of `slice` in the place of `level`; none where the pods ask for more.
workload::Edits ToLevel(const Subject& subject, std::string_view key, std::string_view level,
                        const tpu::Topology& slice) {
  if (key == workload::kKueueRequired && AskedChips(subject) > slice.chips()) return {};
  return {
      {subject.AtAnnotation(key), LevelWith(level, slice.Text()), key.substr(key.find('/') + 1)}};
}

void CheckLevel(Annotations& annotations, std::string_view key) {
  const Subject& subject = annotations.subject();
  const std::string_view level = annotations.Value(key);
  const std::optional<tpu::Topology> topology = TopologyOfLevel(level);
  if (!topology) return;
  const Shape& shape = subject.shape;
  const bool offered = Offers(shape.generation, *topology);
  if (offered && MayLieIn(subject, *topology)) return;
  // topology-not-offered speaks of both.
  if (topology == shape.topology && shape.placements.empty()) return;
  const std::string nodes = offered ? Name(shape) : shape.generation->label;
  const auto named = OfferedSlice(subject);
  const auto slice = named ? named : FilledSlice(subject);
  annotations.Doubt(
      key, fmt::format("no node of {} has the Kueue level {}", nodes, topology->Text()),
      fmt::format("is {}, but {} {} {}: no node carries such a label, and Kueue finds no place for "
                  "the pods.",
                  Quoted(level), nodes, offered ? "holds no" : "does not come in",
                  topology->Text()),
      named   ? fmt::format("set it to the level of {}", named->Text())
      : slice ? ", or select a larger topology"
      : offered
          ? "name a level that lies within it, or select a larger topology"
          : fmt::format("name the level of the slice that {} says", workload::kGkeSliceTopology),
      slice ? ToLevel(subject, key, level, *slice) : workload::Edits());
}

// Of a level of slices, or of node pools, where one of several hosts is one slice.
std::optional<tpu::Topology> SliceOfLevel(const Subject& subject, std::string_view level) {
  if (level != workload::kGkeNodePool) return TopologyOfLevel(level);
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || !slice->multi_host() || subject.pods.SliceTopology()) return std::nullopt;
  return slice->topology;
}

// The level of one slice holds no more chips than the slice has.
void CheckRequired(Annotations& annotations) {
  const std::string_view level = annotations.Value(workload::kKueueRequired);
  const std::optional<tpu::Topology> topology = SliceOfLevel(annotations.subject(), level);
  if (!topology || !Offers(annotations.subject().shape.generation, *topology)) return;
  const workload::PodSet& set = annotations.subject().pods;
  const std::string name = Short(workload::kKueueRequired);
  const std::optional<tpu::Topology> slice = NamedSlice(set);
  if (slice && slice->rank() == topology->rank() && !topology->Contains(*slice)) {
    return annotations.Doubt(
        workload::kKueueRequired,
        fmt::format("{} is for {}, the slice is {}", name, topology->Text(), slice->Text()),
        fmt::format("is a level of slices of {}, but the pods ask for one of {}, which is larger: "
                    "Kueue finds no place for them.",
                    topology->Text(), slice->Text()),
        fmt::format("name the level of slices of {}", slice->Text()),
        ToLevel(annotations.subject(), workload::kKueueRequired, level, *slice));
  }
  const std::optional<std::int64_t> pods = KueuePods(set.scale);
  const std::int64_t asked = AskedChips(annotations.subject());
  if (asked <= topology->chips()) return;
  annotations.Doubt(
      workload::kKueueRequired, fmt::format("{} chips do not fit {}", asked, name),
      fmt::format("wants all {} on one slice of {}, which has {}, but they ask for {}: Kueue never "
                  "admits them.",
                  Counted(*pods, "pod"), topology->Text(), Counted(topology->chips(), "chip"),
                  asked),
      fmt::format("use {} and {} {}, or fewer pods", Short(workload::kKueueSliceRequired),
                  Short(workload::kKueueSliceSize), topology->chips() / set.chips_per_pod));
}

// A level of one node holds no more pods than the node has chips for; `pods` are to be together.
void CheckNode(Annotations& annotations, std::string_view key, std::optional<std::int64_t> pods) {
  if (annotations.Value(key) != workload::kHostNameLabel || pods.value_or(0) < 1) return;
  const Subject& subject = annotations.subject();
  const std::int64_t host = LargestHost(subject);
  const std::int64_t asked = KueueChips(subject, pods);
  if (host == 0 || asked <= host) return;
  const bool fits = subject.shape.topology && asked <= subject.shape.topology->chips();
  annotations.Doubt(
      key, fmt::format("{} do not fit one node, {}", Counted(*pods, "pod"), Short(key)),
      fmt::format("is {}, so Kueue looks for one node for {}, but they ask for {} and a node of {} "
                  "has {}: Kueue never admits them.",
                  workload::kHostNameLabel, Counted(*pods, "pod"), Counted(asked, "chip"),
                  Name(subject.shape), host),
      "name a level that holds all of them",
      fits ? workload::Edits{{subject.AtAnnotation(key), std::string(workload::kGkeNodePool)}}
           : workload::Edits());
}

void CheckSize(Annotations& annotations) {
  const std::string_view text = annotations.Value(workload::kKueueSliceSize);
  if (text.empty()) return;
  const std::string name = Short(workload::kKueueSliceSize);
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

void CheckGroup(Annotations& annotations) {
  if (!annotations.Has(workload::kKueueGroup)) return;
  const std::string_view group = annotations.Value(workload::kKueueGroup);
  const std::string name = Short(workload::kKueueGroup);
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
  const std::string right = std::string(workload::kKueueApi) + Short(key);
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
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!least || *least < 1 || !pods || *least >= *pods || !slice || !slice->multi_host()) return;
  std::string pointer = "/metadata/annotations";
  AppendPointerToken(pointer, workload::kKueueMinParallelism);
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
  for (const std::string_view key :
       {workload::kKueueRequired, workload::kKueuePreferred, workload::kKueueSliceRequired}) {
    CheckLevel(annotations, key);
  }
  CheckRequired(annotations);
  CheckNode(annotations, workload::kKueueRequired, KueuePods(subject.pods.scale));
  CheckNode(annotations, workload::kKueueSliceRequired,
            SliceSize(annotations.Value(workload::kKueueSliceSize)));
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
