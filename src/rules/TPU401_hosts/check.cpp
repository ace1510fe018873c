#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/companions.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu401 {

using workload::Counting;

// The container says on how much of its slice it runs, or its envFrom or shell may.
bool MaySetOwnBounds(const k8s::PodSpec& spec) {
  ShortCommands commands;
  return std::any_of(spec.containers.begin(), spec.containers.end(), [&](const auto& container) {
    return (workload::UsesTpu(container) && HasEnvFrom(container)) ||
           ShellMaySetBounds(container, commands) ||
           std::any_of(kOwnBounds.begin(), kOwnBounds.end(),
                       [&](std::string_view variable) { return container.HasEnv(variable); });
  });
}

// What may run as it is wants is no repair's to change.
void LeaveToItsAuthor(Finding& finding) {
  if (finding.edits.empty()) return;
  finding.change = fmt::format("keep it if the program runs on a part of its slice; else {}{}",
                               SentenceOf(finding.edits), finding.change);
  finding.edits.clear();
  finding.decision = "whether the program runs on a part of its slice";
}

// A pod of a Ray group that takes a part of its one host, on nodes that more such pods may share.
bool IsPartOfHost(const Subject& subject, const std::optional<Slice>& slice) {
  return slice && !slice->multi_host() && slice->pods > 1 && subject.pods.scale.pods.value == 1 &&
         subject.shape.generation->node_can_be_split();
}

// "the TPU runtime waits until 4 pods run on it, so a program on 2 pods would hold its chips and
// never begin"
std::string Consequence(std::int64_t found, std::int64_t pods) {
  const std::string all = fmt::format("the TPU runtime waits until {} pods run", pods);
  if (found < pods) {
    return fmt::format("{} on it, so a program on {} would hold its chips and never begin", all,
                       Counted(found, "pod"));
  }
  const std::int64_t left = found % pods;
  return fmt::format("{} on each slice, so the {} left over would hold chips and never begin", all,
                     Counted(left, "pod"));
}

// "2 pods do not fill a 4x4 slice: it takes 4"
std::string Summary(std::int64_t found, const Slice& slice) {
  const std::string pods =
      fmt::format("{}{} not fill ", Counted(found, "pod"), found == 1 ? " does" : " do");
  const std::string topology = slice.topology.Text();
  const std::string wanted = std::to_string(slice.pods);
  return pods + (found < slice.pods
                     ? fmt::format("{} slice: it takes {}", WithArticle(topology), wanted)
                     : fmt::format("{} slices: each takes {}", topology, wanted));
}

// ", or select topology 2x4, which has 2 hosts", if there is one for the pods as they are. A node
// pool that is named has but one.
std::string OtherTopology(const Subject& subject, std::int64_t found) {
  if (subject.pods.SliceTopology()) return "";
  if (workload::FindRequired(subject.pods.pod.spec, workload::kGkeNodePool)) return "";
  for (const tpu::Placement& placement : subject.shape.generation->placements) {
    if (placement.hosts != found || placement.chips_per_host() != subject.pods.chips_per_pod) {
      continue;
    }
    const auto& choice = subject.shape.choice;
    const workload::Selected& machine = choice[workload::NodeLabel::kMachineType];
    const workload::Selected& count = choice[workload::NodeLabel::kAcceleratorCount];
    if (machine.fixed() && machine.value != placement.machine->name) continue;
    if (count.fixed() && WholeNumber(count.value) != placement.chips_per_host()) continue;
    return fmt::format(", or select topology {}, which has {}", placement.topology.Text(),
                       Counted(found, "host"));
  }
  return "";
}

// ", but 4x4 is 16 chips on 4 hosts"
std::string ButHosts(const Slice& slice) {
  return fmt::format(
      ", but {} is {} on {}{}", slice.topology.Text(), Counted(slice.topology.chips(), "chip"),
      Counted(slice.hosts, "host"),
      slice.pods == slice.hosts ? "" : fmt::format(" for {}", Counted(slice.pods, "pod")));
}

// Replicas of one pod that fill slices together were meant to be these: a replica is a whole slice.
workload::Edits PodsOfOneSlice(const Subject& subject, const Slice& slice) {
  const workload::Scale& scale = subject.pods.scale;
  workload::Edits edits = WithPods(subject, slice.pods);
  const std::int64_t replicas = scale.slices.value.value_or(0);
  const bool fills = scale.tpu_pods == 1 && replicas > 0 && replicas % slice.pods == 0;
  if (slice.pods < 2 || !fills) return edits;
  if (scale.counting == Counting::kGroup || scale.counting == Counting::kPerSlice) {
    SetSlices(scale, replicas / slice.pods, edits);
  }
  return edits;
}

std::string PerSlice(const std::optional<Slice>& slice, bool part_of_host) {
  if (!slice) return ", but a group that asks for TPUs has at least one host.";
  if (part_of_host) {
    return fmt::format(
        "{}: a pod may run on its part of the host, but KubeRay's TPU webhook, where it is "
        "installed, refuses a group that does not take all chips of its topology.",
        ButHosts(*slice));
  }
  return fmt::format(
      "{}: each replica of the group is one slice, which begins when exactly {} run{} on it.",
      ButHosts(*slice), Counted(slice->pods, "pod"), slice->pods == 1 ? "s" : "");
}

// A Ray worker group: its number of hosts is that of one slice, whatever else is there.
void CheckPerSlice(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (!scale.pods.value) return;  // a placeholder, or what the API server refuses
  const std::int64_t found = *scale.pods.value;
  const std::optional<Slice> slice = subject.SliceOfPods();
  const std::string field(scale.pods.field);
  if (slice ? found == slice->pods : found > 0) return;
  const bool part = IsPartOfHost(subject, slice);
  const bool on_purpose = slice && slice->multi_host() && MaySetOwnBounds(subject.pods.pod.spec);
  const bool doubtful = part || on_purpose || scale.has_no_slices();
  Finding finding = {
      .pointer = scale.pods.pointer(),
      .summary = fmt::format(
          "{} is {}{}", field, found,
          part    ? fmt::format(", and a pod of {} takes a part of {}",
                                Counted(subject.pods.chips_per_pod, "chip"), Name(subject.shape))
          : slice ? fmt::format(", a slice of {} takes {}", Name(subject.shape), slice->pods)
                  : ", so the group has no pod"),
      .problem = FoundPods(scale) + PerSlice(slice, part),
      .edits = slice ? PodsOfOneSlice(subject, *slice) : workload::Edits(),
      .change = !slice      ? fmt::format("set {} to the number of hosts of the topology", field)
                : found > 0 ? OtherTopology(subject, found)
                            : "",
      .decision = "which topology is meant",
      .milder = doubtful ? std::optional(Mode::kWarn) : std::nullopt};
  if (on_purpose) LeaveToItsAuthor(finding);
  report.Add(std::move(finding));
}

// The pods to ask for: of a StatefulSet the next multiple, elsewhere those of one slice, because
// several slices in one Job are another fault (slices-per-job).
std::int64_t PodsFor(const workload::Scale& scale, std::int64_t found, const Slice& slice) {
  return scale.counting == Counting::kReplicas ? (found / slice.pods + 1) * slice.pods : slice.pods;
}

// One slice whose pods are those of several Jobs: slice-over-jobs speaks of it. So it may be where
// nobody knows how many Jobs there are.
bool IsSpread(const workload::Scale& scale, const Slice& slice) {
  const std::int64_t found = *scale.tpu_pods;
  if (scale.counting != Counting::kJob || found >= slice.pods) return false;
  if (!scale.slices.value) return true;
  const std::int64_t jobs = *scale.slices.value;
  return jobs > 1 && (found * jobs) % slice.pods == 0;
}

// What the replicated jobs of a JobSet have on the same nodes, of those that do not fill whole
// slices: they may fill some together, such as a leader of one pod and its three workers.
struct Group {
  std::int64_t pods = 0;
  std::int64_t chips = 0;
  std::int64_t maybe_chips = 0;  // of those that may be sent there too
  bool is_open = false;          // the counts of some of these say nothing
  int sets = 0;
  bool same_chips = true;                     // as the pods that are looked at
  bool each_is_most_of_a_slice = true;        // so that each may be for a slice of its own
  const workload::PodSet* largest = nullptr;  // one Job, of which more pods may be asked for

  // Whether they are probably to be more together, and not each for itself.
  bool AreOneSlice() const { return same_chips && (maybe_chips > 0 || !each_is_most_of_a_slice); }
  bool MayFill(const Slice& slice) const {
    const std::int64_t all = slice.topology.chips();
    return is_open || chips % all == 0 || (maybe_chips > 0 && (chips + maybe_chips) % all == 0);
  }
};

// Nothing if there is but one.
std::optional<Group> GroupOf(const Subject& subject, const Slice& slice) {
  constexpr std::int64_t kMost = 100'000;  // of each factor
  if (subject.pods.row->name.empty() || subject.pods.scale.counting != Counting::kJob) return {};
  if (subject.has_node_pool_of_its_own()) return {};
  Group group;
  for (const workload::PodSet& set : subject.workload.pod_sets) {
    if (set.row != subject.pods.row || set.use != subject.pods.use) continue;
    const workload::Together together = GoTogether(set.nodes, subject.pods.nodes);
    if (together == workload::Together::kNo) continue;
    if (set.SliceTopology() != subject.pods.SliceTopology()) continue;
    const std::int64_t pods = set.scale.tpu_pods.value_or(-1);
    const std::int64_t jobs = set.scale.slices.value.value_or(-1);
    const std::int64_t chips = set.chips_per_pod;
    if (pods == 0 || jobs == 0) continue;  // paused
    if (pods < 0 || jobs < 0 || chips <= 0 || std::max({pods, jobs, chips}) > kMost) {
      group.is_open = true;
      ++group.sets;
      continue;
    }
    if (pods * chips % slice.topology.chips() == 0) continue;
    ++group.sets;
    group.same_chips = group.same_chips && chips == subject.pods.chips_per_pod;
    group.each_is_most_of_a_slice =
        group.each_is_most_of_a_slice && 2 * (pods % slice.pods) >= slice.pods;
    const bool surely = together == workload::Together::kYes;
    if (surely) group.pods += pods * jobs;
    if (surely && jobs == 1 && (!group.largest || pods >= *group.largest->scale.tpu_pods)) {
      group.largest = &set;
    }
    (surely ? group.chips : group.maybe_chips) += pods * jobs * chips;
  }
  return group.sets > 1 ? std::optional(group) : std::nullopt;
}

// ", and with the other replicated jobs 3 pods go to these nodes"
std::string WithOthers(const std::optional<Group>& group) {
  if (!group) return "";
  if (group->maybe_chips > 0)
    return ", and those of other replicated jobs may go to these nodes too";
  if (!group->same_chips) {
    return fmt::format(", and with the other replicated jobs they ask for {}",
                       Counted(group->chips, "chip"));
  }
  return fmt::format(", and with the other replicated jobs {} go to these nodes",
                     Counted(group->pods, "pod"));
}

std::int64_t Missing(const Group& group, const Slice& slice) {
  return slice.pods - group.pods % slice.pods;
}

// Where pods of others may be there too, nobody knows how many there are.
std::string ChangeOf(const Group& group, const Slice& slice) {
  const std::string all =
      fmt::format("let the pods of the replicated jobs for {} be", slice.topology.Text());
  if (group.maybe_chips > 0) return fmt::format("{} {} for each slice", all, slice.pods);
  return fmt::format("{} {} together (they are {})", all, group.pods + Missing(group, slice),
                     group.pods);
}

void Suggest(const Subject& subject, const Slice& slice, const std::optional<Group>& group,
             std::int64_t found, Finding& finding) {
  const workload::Scale& scale = subject.pods.scale;
  const std::int64_t pods = PodsFor(scale, found, slice);
  if (scale.leader_has_others) {
    // With its leader the group is one pod more.
    const bool fills = scale.sub_group == 0 && (found + 1) % slice.pods == 0;
    finding.change = fmt::format(
        "{}take {} chips away and set {} to {}",
        fills ? "give the leader the accelerator, topology and chips of its workers, or " : "",
        fills ? "its" : "the leader's", scale.pods.field, pods + 1);
    finding.decision = "whether the leader is one of the workers";
  } else if (group && group->AreOneSlice()) {
    const bool is_largest = group->maybe_chips == 0 && group->largest != nullptr &&
                            group->largest->pointer == subject.pods.pointer;
    if (is_largest) {
      finding.edits = WithPods(subject, found + Missing(*group, slice));
      finding.change = fmt::format(", so that with the others they are {}",
                                   group->pods + Missing(*group, slice));
    } else {
      finding.change = ChangeOf(*group, slice);
    }
    finding.decision = "which of the replicated jobs is to have more pods";
  } else if (scale.counting == Counting::kTogether) {
    finding.change = fmt::format("let the replicas with TPUs be {} together", pods) +
                     OtherTopology(subject, found);
    finding.decision = "which of the replicas are to be more";
  } else {
    finding.edits = pods == slice.pods ? PodsOfOneSlice(subject, slice) : WithPods(subject, pods);
    if (found == scale.tpu_pods) finding.change = OtherTopology(subject, found);
  }
}

// A PodTemplate has no count. In a file, a ProvisioningRequest may say how many of its pods are to
// have room at once.
void CheckRequest(const Subject& subject, Report& report) {
  const workload::Workload& workload = subject.workload;
  if (workload.companions == nullptr || workload.kind->name != "PodTemplate") return;
  const workload::PodRequest* request =
      workload.companions->FindRequest(workload.metadata.namespace_name, workload.metadata.name);
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (request == nullptr || !slice) return;
  if (request->count > 0 && request->count % slice->pods == 0) return;
  report.Add(
      {.pointer = subject.At(workload::NodeLabel::kTopology),
       .summary =
           fmt::format("a request is for {}, {} slice takes {}", Counted(request->count, "pod"),
                       WithArticle(slice->topology.Text()), slice->pods),
       .problem = fmt::format("is a slice for {}, but ProvisioningRequest {} of this file "
                              "asks for room for {}: GKE makes whole slices, or nothing.",
                              Counted(slice->pods, "pod"), Quoted(request->name), request->count),
       .change = fmt::format("set count of the request's podSets to {}", slice->pods),
       .decision = "for how many slices the request is",
       .milder = Mode::kWarn});
}

// Nobody knows whether the pods of another template are there too, but neither number fills slices.
void CheckEither(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  const auto [fewest, most] = scale.either;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice || fewest <= 0) return;
  if (fewest % slice->pods == 0 || most % slice->pods == 0) return;
  report.Add(
      {.pointer = scale.pods.pointer(),
       .summary =
           fmt::format("neither {} nor {} fill {} slice: it takes {}", fewest, Counted(most, "pod"),
                       WithArticle(slice->topology.Text()), slice->pods),
       .problem = fmt::format(
           "{}, so that {} or {} go to these nodes (the other template may be for them or not){}: "
           "the TPU runtime waits until {} pods run on each slice.",
           FoundPods(scale), fewest, Counted(most, "pod"), ButHosts(*slice), slice->pods),
       .change = fmt::format("let the pods for {} be {} for each slice", slice->topology.Text(),
                             slice->pods),
       .decision = "whether the pods of the other template are for the same nodes",
       .milder = Mode::kWarn});
}

// The pods of a sub-group that fill no slice: of the first, whose leader makes it unlike the
// others, where those are right.
std::int64_t PodsOfOne(const workload::Scale& scale, const Slice& slice) {
  const bool by_first = scale.first_sub_group > 0 && *scale.tpu_pods % slice.pods == 0;
  return by_first ? scale.first_sub_group : *scale.tpu_pods;
}

// "is 8 in sub-groups of 4, and the first has the leader, which has none of these TPUs, so 3 pods
// of it have"
FoundAt FoundAtOf(const workload::Scale& scale, std::int64_t found, const workload::Edits& edits) {
  if (found == scale.tpu_pods) return FoundPodsAt(scale, edits);
  return {scale.pods.pointer(),
          fmt::format("is {} in sub-groups of {}, and the first has the leader{}, so {} of it ha{}",
                      *scale.pods.value, scale.sub_group,
                      found < *scale.tpu_pods ? ", which has none of these TPUs" : " as one more",
                      Counted(found, "pod"), found == 1 ? "s" : "ve")};
}

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting == Counting::kPerSlice) return CheckPerSlice(subject, report);
  if (scale.counting == Counting::kElsewhere) return CheckRequest(subject, report);
  if (!scale.tpu_pods) return CheckEither(subject, report);
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice) return;
  const std::int64_t found = PodsOfOne(scale, *slice);
  if (found <= 0 || found % slice->pods == 0) return;
  if (IsSpread(scale, *slice)) return;
  if (subject.workload.pod_sets.size() > 1 && subject.may_be_counted_with_others()) return;
  const std::optional<Group> group = GroupOf(subject, *slice);
  if (group && group->MayFill(*slice)) return;
  const bool on_purpose = MaySetOwnBounds(subject.pods.pod.spec);
  const bool doubtful = scale.counting == Counting::kReplicas || scale.has_no_slices() ||
                        (group && group->maybe_chips > 0) || on_purpose;
  Finding finding;
  finding.summary = Summary(found, *slice);
  if (doubtful) finding.milder = Mode::kWarn;
  Suggest(subject, *slice, group, found, finding);
  FoundAt at = FoundAtOf(scale, found, finding.edits);
  finding.pointer = std::move(at.pointer);
  finding.problem = fmt::format("{}{}{}: {}.", at.text, WithOthers(group), ButHosts(*slice),
                                Consequence(found, slice->pods));
  if (on_purpose) LeaveToItsAuthor(finding);
  report.Add(std::move(finding));
}

}  // namespace tpu401

const Rule kTPU401 = {
    .id = "TPU401",
    .name = "hosts",
    .mode = Mode::kDeny,
    .judges_counts = true,
    .check = tpu401::Check,
};

}  // namespace tpu_admission::rules
