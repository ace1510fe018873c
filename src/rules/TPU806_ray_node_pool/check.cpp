#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/node_selection.h"

namespace tpu_admission::rules {
namespace tpu806 {

// Something keeps pods together in one node pool already.
bool IsKeptInOnePool(const k8s::PodSpec& spec) {
  if (workload::FindRequired(spec, workload::kGkeNodePool)) return true;
  const k8s::JsonView terms =
      spec.json["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms.Element(i)["topologyKey"].StringOr("") == workload::kGkeNodePool) return true;
  }
  return false;
}

// The name of the replica whose pods may be scattered over node pools.
std::optional<std::string_view> ScatteredReplica(const Subject& subject) {
  if (subject.cluster.platform == Platform::kSelfManaged) return std::nullopt;
  const k8s::Pod& pod = subject.pods.pod;
  const workload::IdentityRow* row = workload::IdentityRowOf(pod);
  if (row == nullptr || !row->is_ray || IsKeptInOnePool(pod.spec)) return std::nullopt;
  const std::optional<std::string_view> replica =
      pod.metadata.labels.Find(workload::kRayReplicaName);
  const std::optional<Worker> worker = WorkerOf(subject);
  return worker && worker->workers > 1 && !replica.value_or("").empty() ? replica : std::nullopt;
}

void Check(const Subject& subject, Report& report) {
  const std::optional<std::string_view> replica = ScatteredReplica(subject);
  if (!replica) return;
  report.Add(
      {.pointer = subject.AtSpec("/affinity"),
       .summary = "nothing keeps the workers of a replica in one node pool",
       .problem = fmt::format("does not keep the pod in one node pool with the other workers "
                              "of {}: where two slices are free, each may get some of them, "
                              "and neither is whole.",
                              Quoted(*replica, 63)),
       .change = "turn on the fix of this rule, or let Kueue place the cluster",
       .decision = "who keeps the workers together"});
}

void Mend(const Subject& subject, std::vector<Fix>& fixes) {
  const std::optional<std::string_view> replica = ScatteredReplica(subject);
  if (replica) fixes.emplace_back(KeepTogether{workload::kRayReplicaName, std::string(*replica)});
}

}  // namespace tpu806

const Rule kTPU806 = {
    .id = "TPU806",
    .name = "ray-node-pool",
    .mode = Mode::kAudit,
    .check = tpu806::Check,
    .fix = tpu806::Mend,
    .fix_default = FixDefault::kOff,
};

}  // namespace tpu_admission::rules
