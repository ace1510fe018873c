#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  const tpu::Generation* generation = subject.shape.generation;
  const std::string& region = subject.cluster.region;
  if (generation == nullptr || region.empty() || subject.workload.managed_elsewhere) return;
  if (!subject.shape.choice[NodeLabel::kZone].free()) return;
  if (generation->zones.list.empty() || generation->InRegion(region)) return;
  report.Add(
      {.pointer = subject.At(NodeLabel::kAccelerator),
       .container = "",
       .summary = generation->label + " is not known to be in the cluster's region " + region,
       .problem = "is " + generation->label + ", which the zone lists we know do not have in " +
                  region +
                  ", the region of this cluster. If they are out of date, this is "
                  "no fault.",
       .change = "use a generation that " + region +
                 " has (tpu-admission catalog), or a "
                 "cluster elsewhere"});
}

}  // namespace

const Rule kTPU504 = {
    .id = "TPU504",
    .name = "region-without-generation",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words = {.what = "No published list has the accelerator in the region of this cluster. It is "
                      "judged only if tpu-admission was told where the cluster is "
                      "(--cluster-location), and it only warns: lists are incomplete.",
              .why =
                  "Where a region has no machines of a generation, no node can be made and the pod "
                  "stays Pending.",
              .fix = "Use a generation that the region has, or a cluster in another region.",
              .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v4-podslice
    cloud.google.com/gke-tpu-topology: 2x2x1
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
              .sources = "https://cloud.google.com/tpu/docs/regions-zones\n"
                         "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
