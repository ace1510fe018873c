#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

// A Pod that was bound, that a controller sent to its node, or that a kubelet made from a file.
bool IsPlaced(const Subject& subject) {
  const k8s::ObjectMeta& pod = subject.workload.metadata;
  return subject.is_pod() &&
         (pod.stored || !pod.controller_kind.empty() || pod.annotations.Has(kMirror));
}

void Check(const Subject& subject, Report& report) {
  const std::string_view node = subject.pods.pod.spec.node_name;
  if (node.empty() || workload::IsPlaceholder(node) || IsPlaced(subject)) return;
  const std::string name = Quoted(node);
  report.Add(
      {.pointer = subject.AtSpec("/nodeName"),
       .container = "",
       .summary = "nodeName is set to " + name + ", so no scheduler looks for a fitting node",
       .problem = "is " + name +
                  ", which goes round the scheduler: nobody checks that the node exists, "
                  "has these labels and has free chips. Where it has not, the pod fails "
                  "there instead of waiting, and its replacement goes to the same node.",
       .change = "remove nodeName and let the node selectors choose"});
}

}  // namespace

const Rule kTPU114 = {
    .id = "TPU114",
    .name = "node-name",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what = "spec.nodeName names the node of a TPU pod. Pods that were scheduled already, "
                 "that a controller sends to a node and those that a kubelet makes from a file are "
                 "left alone.",
         .why = "With nodeName there is no scheduling: taints of the effect NoSchedule, free chips "
                "and queues count for nothing. A kubelet without free chips rejects the pod for "
                "good (UnexpectedAdmissionError, OutOfgoogle.com/tpu), nodes of TPUs are replaced "
                "often and get new names, and all pods of a template go to the one node.",
         .fix = "Remove nodeName. To get a certain node pool, select "
                "cloud.google.com/gke-nodepool.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeName: gke-train-tpu-1a2b3c4d-wxyz
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
         .sources = "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/"
                    "#nodename"},
    .check = Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kSelects,
};

}  // namespace tpu_admission::rules
