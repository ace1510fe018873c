#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

void CheckLabel(const Subject& subject, NodeLabel label, std::string_view noun, Report& report) {
  const workload::Selected& selected = subject.shape.choice[label];
  if (!selected.fixed()) return;
  const std::string_view region = RegionOf(selected.value);
  if (region.empty() || region == subject.cluster.region) return;
  report.Add({.pointer = subject.At(label),
              .container = "",
              .summary = std::string(noun) + " " + Quoted(selected.value) +
                         " is outside the cluster's region " + subject.cluster.region,
              .problem = "is " + Quoted(selected.value) + ", but this cluster is in " +
                         subject.cluster.region + ", and a cluster has no nodes in other regions.",
              .change = "select a zone of " + subject.cluster.region +
                        ", or apply this to a cluster in " + std::string(region)});
}

void Check(const Subject& subject, Report& report) {
  if (subject.cluster.region.empty() || subject.workload.managed_elsewhere) return;
  CheckLabel(subject, NodeLabel::kZone, "zone", report);
  CheckLabel(subject, NodeLabel::kRegion, "region", report);
}

}  // namespace

const Rule kTPU503 = {
    .id = "TPU503",
    .name = "cluster-location",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words =
        {.what = "The pod selects a zone or region that is not in the region of this cluster. It "
                 "is judged only if tpu-admission was told where the cluster is "
                 "(--cluster-location), and only by region: a zonal cluster may have nodes in "
                 "other zones.",
         .why = "All nodes of a GKE cluster are in its region, so no node can ever match.",
         .fix = "Select a zone of the cluster's region, or apply the workload to a cluster in the "
                "other region.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
    topology.kubernetes.io/zone: us-east5-b
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
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
         .sources = "https://cloud.google.com/kubernetes-engine/docs/concepts/types-of-clusters"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
