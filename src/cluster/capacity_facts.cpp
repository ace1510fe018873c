// Nodes and pods -> what is kept of them to count chips.
#include <algorithm>

#include "cluster/facts.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/capacity.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/jobset_keys.h"
#include "tpu_admission/workload/lws_keys.h"

namespace tpu_admission::cluster {
namespace {

using k8s::JsonView;

// Who starts its pods together. Pods of a ReplicaSet or DaemonSet, and those without an owner,
// stand alone.
std::string GangOf(const PodFacts& pod) {
  const auto title = [&](const std::string& kind, const std::string& name) {
    return pod.InNamespace(kind + " " + Quoted(name, 253));
  };
  const std::string job_set = LabelOf(pod.labels, workload::kJobSetName);
  if (!job_set.empty()) return title("JobSet", job_set);
  const std::string group_set = LabelOf(pod.labels, workload::kLwsName);
  const std::string group = LabelOf(pod.labels, "leaderworkerset.sigs.k8s.io/group-index");
  if (!group_set.empty()) return "group " + group + " of " + title("LeaderWorkerSet", group_set);
  const std::string ray = LabelOf(pod.labels, "ray.io/cluster");
  const std::string replica = LabelOf(pod.labels, workload::kRayReplicaName);
  if (!ray.empty())
    return replica.empty() ? "" : "group " + replica + " of " + title("RayCluster", ray);
  if (pod.owner_kind != "Job" && pod.owner_kind != "StatefulSet") return "";
  return title(pod.owner_kind, pod.owner_name);
}

// The pods of one child Job of a JobSet, or of one group, fill one slice.
std::string SliceOf(const PodFacts& pod, const std::string& gang) {
  if (gang.empty()) return "";
  return pod.owner_kind == "Job" ? pod.owner_uid : gang;
}

std::int64_t ScheduledAt(JsonView object) {
  const JsonView conditions = object["status"]["conditions"];
  if (!conditions.is_array()) return 0;
  for (std::size_t i = 0; i < std::min(conditions.size(), kMostParts); ++i) {
    const JsonView condition = conditions.Element(i);
    if (condition["type"].StringOr("") != "PodScheduled") continue;
    if (condition["status"].StringOr("") != "True") return 0;
    return SecondsOf(condition["lastTransitionTime"].StringOr(""));
  }
  return 0;
}

// The kubelet's reasons for not taking a pod that was bound to it.
bool IsRefused(const PodFacts& pod) {
  return pod.phase == "Failed" &&
         (pod.reason == "UnexpectedAdmissionError" || pod.reason.starts_with("OutOf") ||
          pod.reason == "NodeAffinity" || pod.reason == "TopologyAffinityError");
}

}  // namespace

std::optional<TpuNode> ReadTpuNode(JsonView object) {
  const NodeFacts facts = ReadNode(object);
  if (facts.accelerator.empty()) return std::nullopt;
  return TpuNode{facts.name,     facts.pool,  facts.accelerator,
                 facts.topology, facts.chips, facts.ready && !facts.cordoned};
}

std::optional<TpuPod> ReadTpuPod(JsonView object) {
  const PodFacts facts = ReadPod(object);
  if (facts.chips == 0) return std::nullopt;
  TpuPod pod;
  pod.title = facts.InNamespace(facts.Title());
  pod.node = facts.node;
  pod.phase = facts.phase;
  if (IsRefused(facts)) pod.refusal = facts.reason + ": " + Cut(facts.message, 256);
  pod.gang = GangOf(facts);
  pod.slice = SliceOf(facts, pod.gang);
  pod.topology = LabelOf(facts.selector, workload::kGkeTpuTopology);
  pod.chips = facts.chips;
  pod.created = SecondsOf(facts.created);
  pod.scheduled = ScheduledAt(object);
  return pod;
}

std::int64_t SecondsOf(std::string_view rfc3339) {
  const auto time = ReadUtc(rfc3339);
  return time ? Clock::Wall::clock::to_time_t(*time) : 0;
}

}  // namespace tpu_admission::cluster
