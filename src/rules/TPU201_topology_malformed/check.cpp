#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

std::string Change(const Subject& subject, std::string_view value) {
  const tpu::Generation* generation = subject.shape.generation;
  const std::optional<tpu::Topology> tidied = Tidied(value);
  if (tidied && (generation == nullptr || !generation->PlacementsOf(*tidied).empty())) {
    return SelectorChange(subject, NodeLabel::kTopology, tidied->Text());
  }
  if (generation == nullptr) return "write it as 4x4 or 2x2x4";
  return SelectorChange(subject, NodeLabel::kTopology,
                        JoinOr(NearestTopologies(subject, WishedChips(subject))));
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& topology = subject.shape.choice[NodeLabel::kTopology];
  if (!topology.fixed() || subject.shape.topology) return;
  const std::string value = Quoted(topology.value);
  report.Add({.pointer = subject.At(NodeLabel::kTopology),
              .container = "",
              .summary = "topology " + value + " is malformed",
              .problem = "is " + value +
                         ", which is no topology: two or three numbers of at least 1, "
                         "joined by a small x. " +
                         std::string(NoSuchNode(subject)),
              .change = Change(subject, topology.value)});
}

}  // namespace

const Rule kTPU201 = {
    .id = "TPU201",
    .name = "topology-malformed",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words = {.what =
                  "The value of cloud.google.com/gke-tpu-topology must be two or three positive "
                  "numbers joined by a lower-case x, such as 4x4 or 2x2x4.",
              .why =
                  "The scheduler compares the label letter by letter, so `2X4` or `4` matches no "
                  "node and the pod stays Pending.",
              .fix = "Write the topology as `tpu-admission catalog` lists it for the generation.",
              .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2X2
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
              .sources = "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus\n"
                         "GoogleCloudPlatform/cluster-toolkit@1047080 pkg/config/hardware.go"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
