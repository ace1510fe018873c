#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  const workload::Selected& zone = subject.shape.choice[NodeLabel::kZone];
  const workload::Selected& region = subject.shape.choice[NodeLabel::kRegion];
  if (!zone.fixed() || !region.fixed()) return;
  const std::string_view zones_region = RegionOf(zone.value);
  if (zones_region.empty() || zones_region == region.value) return;
  report.Add({.pointer = subject.At(NodeLabel::kZone),
              .container = "",
              .summary = "zone " + Quoted(zone.value) + " is not in region " + Quoted(region.value),
              .problem = "is " + Quoted(zone.value) + ", which is in " + std::string(zones_region) +
                         ", but the pod also selects region " + Quoted(region.value) +
                         ". No node is in both.",
              .change = "keep the zone or the region, or make them agree"});
}

}  // namespace

const Rule kTPU502 = {
    .id = "TPU502",
    .name = "zone-region",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words = {.what = "The pod selects a zone and a region, and the zone is not in the region.",
              .why = "A node is in one zone of one region, so no node can ever match both labels.",
              .fix = "Leave one of the two out, or make them agree.",
              .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
    topology.kubernetes.io/zone: us-east5-b
    topology.kubernetes.io/region: europe-west4
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
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
    topology.kubernetes.io/zone: us-east5-b
    topology.kubernetes.io/region: us-east5
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
              .sources = "https://kubernetes.io/docs/reference/labels-annotations-taints/"
                         "#topologykubernetesiozone"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
