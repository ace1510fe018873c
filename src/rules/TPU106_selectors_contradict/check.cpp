#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const workload::NodeSelection& nodes = subject.pods.nodes;
  if (!nodes.contradiction || nodes.one_value.empty()) return;
  const std::string key(Key(nodes.contradicting));
  const std::string one = Quoted(nodes.one_value);
  const std::string other = Quoted(nodes.other_value);
  report.Add({.pointer = subject.AtSpec("/affinity/nodeAffinity"),
              .container = "",
              .summary = key + " must be " + one + " and " + other + " at once",
              .problem = "asks for " + key + " " + other + " where " + one +
                         " is asked for as well. A node has one value of a label, so no node can "
                         "ever match.",
              .change = "keep one of the two values of " + key});
}

}  // namespace

const Rule kTPU106 = {
    .id = "TPU106",
    .name = "selectors-contradict",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words =
        {.what = "nodeSelector and the required node affinity hold together. Here they ask for "
                 "two different values of one label in every alternative.",
         .why = "A node has exactly one value of a label, so the pod stays Pending whatever nodes "
                "there are.",
         .fix = "Say each label once: in nodeSelector, or in the node affinity.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: cloud.google.com/gke-tpu-topology, operator: In, values: [2x4]}
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
                    "#node-affinity"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
