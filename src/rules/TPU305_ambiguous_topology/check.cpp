#include <algorithm>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

// The largest host that the selectors leave; 0 if they leave but one way to get the topology.
std::int64_t LargestOfSeveral(const Subject& subject) {
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  std::int64_t ways = 0;
  std::int64_t largest = 0;
  for (const tpu::Placement& placement : subject.shape.placements) {
    if (autopilot && !placement.autopilot) continue;
    ++ways;
    largest = std::max(largest, placement.chips_per_host());
  }
  return ways > 1 ? largest : 0;
}

bool IsDecided(const Subject& subject) {
  const workload::NodeChoice& choice = subject.shape.choice;
  return !choice[NodeLabel::kAcceleratorCount].free() || !choice[NodeLabel::kMachineType].free() ||
         subject.pods.nodes.by_other_means || subject.workload.queued;
}

void Check(const Subject& subject, Report& report) {
  const Shape& shape = subject.shape;
  const std::int64_t chips = subject.pods.chips_per_pod;
  if (shape.placements.size() < 2 || chips == 0 || shape.generation->node_can_be_split()) return;
  const std::int64_t largest = LargestOfSeveral(subject);
  if (chips >= largest || IsDecided(subject)) return;
  const std::string topology = shape.topology->Text();
  report.Add(
      {.pointer = subject.At(NodeLabel::kTopology),
       .container = "",
       .summary = topology + " is also one host with " + Count(largest, "chip") +
                  ", whose nodes have the same labels",
       .problem = "is " + topology + ", which is one host with " + Count(largest, "chip") +
                  " as well as several with " + Count(chips, "chip") +
                  ". The nodes of both carry the same labels, so a pod that asks for " +
                  Count(chips, "chip") + " may be sent to the larger host, and is refused there.",
       .change = SelectorChange(subject, NodeLabel::kAcceleratorCount, std::to_string(chips))});
}

}  // namespace

const Rule kTPU305 = {
    .id = "TPU305",
    .name = "ambiguous-topology",
    .mode = Mode::kAudit,
    .judges_counts = false,
    .words =
        {.what =
             "A topology that GKE makes in two ways: 2x4 of v5e and v6e is one host with 8 chips "
             "or two hosts with 4. The pod asks for the chips of the smaller host and does not say"
             " which it wants.",
         .why =
             "Accelerator and topology labels are the same on both kinds of node. For the "
             "scheduler a pod with 4 chips fits the host with 8, and there the device plugin "
             "refuses it, because a container must take all chips of its host. Nothing goes wrong "
             "while the cluster has only one of the two.",
         .fix = "Select cloud.google.com/gke-accelerator-count as well: the chips of one host.",
         .wrong = R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    spec:
      subdomain: train
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 2x4
      containers:
      - name: jax
        image: example.com/jax
        resources:
          requests: {cpu: "100", memory: 300Gi}
          limits: {google.com/tpu: 4}
)",
         .right = R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    spec:
      subdomain: train
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 2x4
        cloud.google.com/gke-accelerator-count: "4"
      containers:
      - name: jax
        image: example.com/jax
        resources:
          requests: {cpu: "100", memory: 300Gi}
          limits: {google.com/tpu: 4}
)",
         .sources = "vllm-project/ci-infra#525\n"
                    "ai-on-gke/tpu-device-plugin@4626a9f pkg/tpu/manager.go"},
    .check = Check,
};

}  // namespace tpu_admission::rules
