#include "rules/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

std::string ZoneNames(const tpu::Generation& generation) {
  std::vector<std::string> names;
  for (const tpu::Zone& zone : generation.zones.list) names.push_back(zone.name);
  return JoinOr(names);
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& zone = subject.shape.choice[NodeLabel::kZone];
  const tpu::Generation* generation = subject.shape.generation;
  if (generation == nullptr || !zone.fixed() || generation->zones.list.empty()) return;
  if (generation->FindZone(zone.value) != nullptr || subject.workload.managed_elsewhere) return;
  const std::string value = Quoted(zone.value);
  const bool sure = generation->zones.complete;
  report.Add({.pointer = subject.At(NodeLabel::kZone),
              .container = "",
              .summary = "zone " + value + (sure ? " has no " : " is not known to have ") +
                         generation->label,
              .problem = "is " + value + ", but " + (sure ? "" : "the zone lists we know have ") +
                         generation->label + (sure ? " is only in " : " only in ") +
                         ZoneNames(*generation) + ".",
              .change = "select one of these zones, or leave the zone out",
              .milder = sure ? std::nullopt : std::optional(Mode::kWarn)});
}

}  // namespace

extern const Rule kZoneNotOffered;
const Rule kZoneNotOffered = {
    .id = "TPU501",
    .name = "zone-not-offered",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words = {.what =
                  "The pod is pinned to a zone where, as far as published lists go, the "
                  "accelerator is not to be had. It is denied only where the lists are beyond "
                  "doubt (v4); else it is a warning, because Google adds zones faster than lists "
                  "are published.",
              .why =
                  "No node of that accelerator exists or can be made in the zone, so the pod stays "
                  "Pending.",
              .fix = "Select a zone of the list, or leave the zone out and let GKE choose.",
              .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v4-podslice
    cloud.google.com/gke-tpu-topology: 2x2x1
    topology.kubernetes.io/zone: us-central1-a
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
              .right = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v4-podslice
    cloud.google.com/gke-tpu-topology: 2x2x1
    topology.kubernetes.io/zone: us-central2-b
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
              .sources = "https://cloud.google.com/tpu/docs/regions-zones\n"
                         "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
