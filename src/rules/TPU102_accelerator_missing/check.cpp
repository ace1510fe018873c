#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  if (!subject.Misses(NodeLabel::kAccelerator)) return;
  report.Add({.pointer = subject.At(NodeLabel::kAccelerator),
              .container = "",
              .summary = "no node selector says which TPU generation the pod needs",
              .problem = "has no cloud.google.com/gke-tpu-accelerator, so the pod may land on any "
                         "TPU node with enough chips, whatever its generation, and no node can be "
                         "provisioned for it.",
              .change = "add cloud.google.com/gke-tpu-accelerator with the label of the generation "
                        "(tpu-admission catalog lists them)",
              .milder = subject.MissingSelectorMode()});
}

}  // namespace

const Rule kTPU102 = {
    .id = "TPU102",
    .name = "accelerator-missing",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words = {.what =
                  "A container asks for google.com/tpu, but neither nodeSelector nor the required "
                  "node affinity says which accelerator. It is a warning on GKE Standard, where a "
                  "matching TPU node may already exist; on Autopilot a Pod is denied, because "
                  "nothing can be provisioned for it. Nothing is said where a compute class, a "
                  "node pool, a reservation, a machine type or a Kueue queue chooses the nodes.",
              .why =
                  "GKE's node auto-provisioning and Autopilot derive the machine type from "
                  "accelerator and topology. Without them no node is made, and on existing nodes a "
                  "program compiled for one generation may start on another.",
              .fix = "Add the label to spec.nodeSelector, together with "
                     "cloud.google.com/gke-tpu-topology.",
              .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
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
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
              .sources = "https://cloud.google.com/kubernetes-engine/docs/how-to/tpus-autopilot\n"
                         "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus"},
    .check = Check,
};

}  // namespace tpu_admission::rules
