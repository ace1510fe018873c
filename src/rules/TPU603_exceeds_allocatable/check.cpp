#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void CheckResource(const Subject& subject, Resource resource, Report& report) {
  const std::optional<Demand> demand = DemandOf(subject, resource);
  if (!demand || !demand->ExceedsAllocatable(resource)) return;
  const auto& [machine, asked, asker] = *demand;
  const k8s::Quantity allocatable = Allocatable(*machine, resource);
  const std::string name(Name(resource));
  report.Add(
      {.pointer = subject.At(*asker, "/resources/requests/" + name),
       .container = std::string(asker->name),
       .summary = "pod asks for " + asked.Text() + " " + name + ", a " + machine->name +
                  " gives about " + allocatable.Text(),
       .problem = "brings the pod to " + asked.Text() + " " + name + ", but a node of " +
                  machine->name + " is predicted to give its pods " + allocatable.Text() +
                  ", less what DaemonSets take.",
       .change = "ask for at most " + allocatable.Text() + " " + name + " in the whole pod"});
}

void Check(const Subject& subject, Report& report) {
  for (const Resource resource : kResources) CheckResource(subject, resource, report);
}

}  // namespace

const Rule kTPU603 = {
    .id = "TPU603",
    .name = "exceeds-allocatable",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what = "The CPU or memory that the pod asks for is less than the machine has, but more "
                 "than a node of it is predicted to give to pods. The prediction follows GKE's "
                 "reservation formula and may be off by a little, so this only warns.",
         .why = "What the node keeps for the system and what DaemonSets take is not to be had, so "
                "the pod may stay Pending.",
         .fix = "Ask for less; `kubectl describe node` shows what a node really gives.",
         .wrong = R"(apiVersion: v1
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
      requests: {cpu: 179800m, memory: 300Gi}
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
         .sources =
             "GoogleCloudPlatform/cluster-autoscaler@7d25050 pkg/cloudprovider/gke/reserved.go\n"
             "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes"},
    .check = Check,
};

}  // namespace tpu_admission::rules
