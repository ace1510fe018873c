#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

std::string Change(const Subject& subject) {
  const std::string change = "add cloud.google.com/gke-tpu-topology";
  if (subject.shape.generation == nullptr) return change + ", the shape of the slice in chips";
  const std::vector<std::string> near = NearestTopologies(subject, WishedChips(subject));
  return change + ", e.g. " + near.front() + " (" + subject.shape.generation->label + " has " +
         Topologies(*subject.shape.generation) + ")";
}

void Check(const Subject& subject, Report& report) {
  if (!subject.Misses(NodeLabel::kTopology)) return;
  report.Add({.pointer = subject.At(NodeLabel::kTopology),
              .container = "",
              .summary = "no node selector says which TPU topology the pod needs",
              .problem =
                  "has no cloud.google.com/gke-tpu-topology, so the pod may land on one host "
                  "of a larger slice and wait there for the others, and no node can be "
                  "provisioned for it.",
              .change = Change(subject),
              .milder = subject.MissingSelectorMode()});
}

}  // namespace

const Rule kTPU103 = {
    .id = "TPU103",
    .name = "topology-missing",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words =
        {.what = "A container asks for google.com/tpu, but neither nodeSelector nor the required "
                 "node affinity says which topology. It is a warning on GKE Standard, where a "
                 "matching TPU node may already exist; on Autopilot a Pod is denied, because "
                 "nothing can be provisioned for it. Nothing is said where a compute class, a "
                 "node pool, a reservation, a slice-topology annotation or a Kueue queue chooses "
                 "the nodes.",
         .why = "The topology is the shape of the slice in chips. It decides how many hosts there "
                "are, and a program that lands on one host of a multi-host slice waits for hosts "
                "that nobody started.",
         .fix = "Add the label to spec.nodeSelector with a topology of the generation whose chips "
                "are those that your program needs in all.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
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
