#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  const Shape& shape = subject.shape;
  if (shape.generation == nullptr || !shape.topology) return;
  if (shape.topology->rank() == shape.generation->dimensions) return;
  const std::string found = shape.topology->Text();
  const std::string wanted = std::to_string(shape.generation->dimensions);
  const std::vector<std::string> near = NearestTopologies(subject, shape.topology->chips());
  report.Add({.pointer = subject.At(NodeLabel::kTopology),
              .container = "",
              .summary = "topology " + found + " has " + std::to_string(shape.topology->rank()) +
                         " dimensions, " + shape.generation->label + " has " + wanted,
              .problem = "is " + found + ", but a topology of " + shape.generation->name + " has " +
                         wanted + " dimensions: " + Topologies(*shape.generation) + ". " +
                         std::string(NoSuchNode(subject)),
              .change = SelectorChange(subject, NodeLabel::kTopology, near.front())});
}

}  // namespace

const Rule kTPU202 = {
    .id = "TPU202",
    .name = "topology-dimensions",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words =
        {.what = "Generations whose chips are linked in a plane (v3, v5e, v6e) have topologies of "
                 "two dimensions; those linked in a cube (v4, v5p, TPU7x) have three.",
         .why = "No node pool can be made with a topology of the wrong number of dimensions, so "
                "the pod stays Pending.",
         .fix = "Use a topology of the generation with the chips you need: 2x2 of v6e corresponds "
                "to 2x2x1 of v5p.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice
    cloud.google.com/gke-tpu-topology: 2x2
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
    cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice
    cloud.google.com/gke-tpu-topology: 2x2x1
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
         .sources = "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus\n"
                    "GoogleCloudPlatform/cluster-autoscaler@7d25050 "
                    "pkg/cloudprovider/gke/machinetypes/deprecated_tpu_config.go"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
