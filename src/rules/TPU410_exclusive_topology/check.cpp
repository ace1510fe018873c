#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <utility>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/jobset_keys.h"
#include "tpu_admission/workload/kueue_keys.h"
#include "tpu_admission/workload/lws_keys.h"

namespace tpu_admission::rules {
namespace tpu410 {

using namespace std::string_view_literals;
using workload::PodSet;

// https://jobset.sigs.k8s.io/docs/concepts/: on the JobSet, or on the Job of a replicated job.
// Kueue's topology-aware scheduling keeps the pods of a slice together in its own way.
constexpr std::string_view kKueueTopology[] = {
    workload::kKueueRequired, workload::kKueueSliceRequired, workload::kKueuePreferred};

bool IsKeptByKueue(const Subject& subject) {
  const k8s::StringMap& annotations = subject.pods.pod.metadata.annotations;
  return std::any_of(std::begin(kKueueTopology), std::end(kKueueTopology),
                     [&](std::string_view key) { return annotations.Has(key); });
}

// Some key of its own says it, be it on the JobSet, a replicated job or its pods.
bool HasKey(const Subject& subject, std::string_view key) {
  return subject.workload.metadata.annotations.Has(key) || subject.pods.job_annotations.Has(key) ||
         subject.pods.pod.metadata.annotations.Has(key);
}

bool IsKeptTogether(const Subject& subject) {
  return HasKey(subject, workload::kJobSetExclusiveTopology) || IsKeptByKueue(subject);
}

// Where the annotation stands that names the domain of a Job, or where it is to stand.
std::string PointerOf(std::string_view object,
                      std::string_view key = workload::kJobSetExclusiveTopology) {
  return PointerBelow(std::string(object) + "/metadata/annotations", key);
}

// JobSet and LeaderWorkerSet have each a key of its own for the same, and pass over the other's.
bool HasKeyOfOtherKind(const Subject& subject, Report& report) {
  std::string_view own = workload::kJobSetExclusiveTopology;
  std::string_view other = workload::kLwsExclusiveTopology;
  if (!subject.pods.row->always_indexed) std::swap(own, other);
  const auto domain = subject.workload.metadata.annotations.Find(other);
  if (!domain || HasKey(subject, own) || IsKeptByKueue(subject)) return false;
  report.Add(
      {.pointer = PointerOf("", other),
       .part = "other key",
       .summary = fmt::format("wrong exclusive-topology, {} reads its own key",
                              subject.workload.kind->name),
       .problem = fmt::format("means nothing to a {}, which reads {}: nothing keeps the pods of a "
                              "slice on one.",
                              subject.workload.kind->name, own),
       .edits = {{PointerOf("", own), std::string(*domain)},
                 {PointerOf("", other), std::nullopt}}});
  return true;
}

// What the key of the node pool was meant to be.
bool MeansNodePool(std::string_view key) {
  constexpr std::array kWhole = {workload::kGkeNodePool};
  constexpr std::array kNames = {"gke-nodepool"sv, "nodepool"sv};
  return key != workload::kGkeNodePool &&
         (!Nearest(key, kWhole, 2).empty() || !Nearest(key, kNames, 2).empty());
}

// The label whose values are the domains: one for all pods of a Job, or of a group.
struct Domain {
  std::string_view key;
  std::optional<std::string_view> label;
  std::string_view object;  // whose annotation it is
};
Domain DomainOf(const Subject& subject, bool is_group) {
  const k8s::StringMap& annotations = subject.workload.metadata.annotations;
  if (is_group) {
    const std::string_view key = workload::kLwsExclusiveTopology;
    return {key, annotations.Find(key), ""};
  }
  const std::string_view key = workload::kJobSetExclusiveTopology;
  const std::string_view pods = subject.pods.pointer;
  const auto of_job = subject.pods.job_annotations.Find(key);
  if (of_job) return {key, of_job, pods.substr(0, pods.rfind("/spec/template"))};
  return {key, annotations.Find(key), ""};
}

// All pods of a Job or group in a domain that is one node, where each takes a host of its own.
void CheckDomain(const Subject& subject, const Slice& slice, bool is_group, Report& report) {
  const auto [key, label, object] = DomainOf(subject, is_group);
  const bool is_no_label = label && MeansNodePool(*label);
  if (!is_no_label && label != workload::kHostNameLabel) return;
  const std::string pointer = PointerOf(object, key);
  const workload::Edits node_pool = {{pointer, std::string(workload::kGkeNodePool)}};
  if (is_no_label) {
    return report.Add(
        {.pointer = pointer,
         .summary = "the exclusive topology is no label of nodes",
         .problem = fmt::format("is {}, which is no label of the nodes of GKE, so no node "
                                "is in such a domain and the pods stay Pending.",
                                Quoted(*label)),
         .edits = node_pool});
  }
  const std::string_view unit = is_group ? "group" : "Job";
  report.Add({.pointer = pointer,
              .summary = fmt::format("each {} is kept on one node", unit),
              .problem = fmt::format(
                  "is {}, so {} sends all pods of a {} to one node. A {} has {}, and one "
                  "pod takes the chips of its node: the other pods stay Pending.",
                  *label, subject.workload.kind->name, unit, slice.topology.Text(),
                  Counted(slice.hosts, "host")),
              .edits = node_pool});
}

// The leader surely runs on other nodes than its workers: it may not go to nodes of TPUs, or it
// selects others.
bool IsLeaderElsewhere(const Subject& subject) {
  if (subject.pods.scale.leaders_without_tpus == 0) return false;
  const PodSet* const leader = workload::LeaderOf(subject.workload.pod_sets);
  if (leader == nullptr) return true;
  if (leader->use != workload::TpuUse::kTolerates) {
    return GoTogether(leader->nodes, subject.pods.nodes) == workload::Together::kNo &&
           !subject.may_be_counted_with_others();
  }
  const auto family = workload::FindRequired(leader->pod.spec, workload::kGkeMachineFamily);
  return family && family->fixed && subject.shape.generation != nullptr &&
         family->value != subject.shape.generation->machine_family;
}

// kubernetes-sigs/lws pkg/controllers/pod_controller.go, setNodeSelectorForWorkerPods: the workers
// get the domain of the leader's node as nodeSelector.
void CheckGroupInPool(const Subject& subject, const Slice& slice, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  const auto label = subject.workload.metadata.annotations.Find(workload::kLwsExclusiveTopology);
  if (label != workload::kGkeNodePool) return;
  const std::string pointer = PointerOf("", workload::kLwsExclusiveTopology);
  if (IsLeaderElsewhere(subject)) {
    return report.Add(
        {.pointer = pointer,
         .part = "leader elsewhere",
         .summary = "the workers follow their leader to nodes without these TPUs",
         .problem = fmt::format("is {}, so LeaderWorkerSet sends the workers to the node pool of "
                                "their leader. That is on nodes without these TPUs, so the "
                                "workers stay Pending.",
                                *label),
         .change = fmt::format(
             "exclude the leader (LeaderExcluded), with the workers as a sub-group of {}"
             ", and set {} in its place",
             slice.pods, workload::kLwsSubGroupExclusiveTopology),
         .decision = "how the workers are to be kept together"});
  }
  if (!slice.multi_host() || scale.sub_group == 0 || !scale.tpu_pods) return;
  const std::int64_t all = *scale.tpu_pods * scale.sub_groups() + scale.more_in_first();
  if (all <= slice.pods) return;
  workload::Edits edits;
  if (*scale.tpu_pods == slice.pods) {
    edits = {{PointerOf("", workload::kLwsSubGroupExclusiveTopology), std::string(*label)},
             {pointer, std::nullopt}};
  }
  report.Add(
      {.pointer = pointer,
       .part = "sub-groups",
       .summary = fmt::format("all {} of a group are sent to one slice of {}", Counted(all, "pod"),
                              slice.topology.Text()),
       .problem = fmt::format(
           "is {}, so LeaderWorkerSet sends all {} of a group to one node pool. That is one "
           "slice of {}, so {} of them stay Pending: each sub-group needs one of its own.",
           *label, Counted(all, "pod"), slice.topology.Text(), all - slice.pods),
       .edits = std::move(edits),
       .change = scale.tpu_pods == slice.pods
                     ? ""
                     : fmt::format("take {} in its place", workload::kLwsSubGroupExclusiveTopology),
       .decision = "how the sub-groups are to be kept together"});
}

// kubernetes-sigs/lws pkg/webhooks/leaderworkerset_webhook.go and pod_webhook.go: a leader is one
// of the first sub-group unless it is excluded, and bound to its node pool.
void CheckSubGroupsInPool(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  const std::string_view key = workload::kLwsSubGroupExclusiveTopology;
  const auto label = subject.workload.metadata.annotations.Find(key);
  if (!label) return;
  if (!scale.has_sub_groups) {
    return report.Add(
        {.pointer = PointerOf("", key),
         .part = "no sub-groups",
         .summary = "subgroup-exclusive-topology is set without subGroupSize",
         .problem = "is set, but the groups have no subGroupPolicy: LeaderWorkerSet's own webhook "
                    "refuses this.",
         .edits = {{PointerOf("", workload::kLwsExclusiveTopology), std::string(*label)},
                   {PointerOf("", key), std::nullopt}},
         .change = ", or set subGroupSize"});
  }
  const std::int64_t part = scale.sub_group;
  const bool divides = part > 0 && (scale.pods.value.value_or(0) - 1) % part == 0;
  if (label != workload::kGkeNodePool || scale.leader_excluded || !divides ||
      scale.leader_has_others || !IsLeaderElsewhere(subject)) {
    return;
  }
  report.Add(
      {.pointer = PointerOf("", key),
       .part = "leader elsewhere",
       .summary = "the first sub-group is bound to the node pool of a leader without these TPUs",
       .problem = fmt::format("is {}, so all pods of a sub-group go to one node pool, and the "
                              "leader is one of the first. It is on nodes without these TPUs, so "
                              "this sub-group stays Pending.",
                              *label),
       .edits = {{std::string(scale.pointer) + "/subGroupPolicy/subGroupPolicyType",
                  std::string("LeaderExcluded")}}});
}

void Check(const Subject& subject, Report& report) {
  const PodSet& pods = subject.pods;
  const std::int64_t jobs = pods.scale.slices.value.value_or(0);
  const bool is_group = pods.scale.counting == workload::Counting::kGroup && !pods.row->leads;
  if (!pods.row->always_indexed && !is_group) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (is_group && slice) {
    CheckGroupInPool(subject, *slice, report);
    CheckSubGroupsInPool(subject, report);
  }
  if (!slice || !slice->multi_host() || HasKeyOfOtherKind(subject, report)) return;
  CheckDomain(subject, *slice, is_group, report);
  if (is_group || jobs < 2 || IsKeptTogether(subject)) return;
  const std::string topology = slice->topology.Text();
  report.Add({.pointer = "/metadata/annotations",
              .summary = "nothing keeps each Job of the JobSet on a slice of its own",
              .problem = fmt::format(
                  "has no {}, so the pods of {} may be mixed over the node pools of {}: a "
                  "slice whose hosts run pods of two Jobs begins neither of them.",
                  workload::kJobSetExclusiveTopology, Counted(jobs, "Job"), topology),
              .edits = {{PointerOf(""), std::string(workload::kGkeNodePool)}},
              .change = " in the annotations",
              .milder = Mode::kAudit});
}

}  // namespace tpu410

const Rule kTPU410 = {
    .id = "TPU410",
    .name = "exclusive-topology",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu410::Check,
};

}  // namespace tpu_admission::rules
