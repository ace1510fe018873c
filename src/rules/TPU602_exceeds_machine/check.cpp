#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void CheckResource(const Subject& subject, Resource resource, Report& report) {
  const std::optional<Demand> demand = DemandOf(subject, resource);
  if (!demand || !demand->ExceedsMachine(resource)) return;
  const auto& [machine, asked, asker] = *demand;
  const k8s::Quantity ceiling = Ceiling(*machine, resource);
  const std::string name(Name(resource));
  report.Add({.pointer = subject.At(*asker, "/resources/requests/" + name),
              .container = std::string(asker->name),
              .summary = "pod asks for " + asked.Text() + " " + name + ", a " + machine->name +
                         " has " + ceiling.Text() + " in all",
              .problem = "brings the pod to " + asked.Text() + " " + name + ", but a " +
                         machine->name + ", the largest machine that the selectors allow, has " +
                         ceiling.Text() + " in all, of which the node keeps some for itself.",
              .change = "ask for at most " + Allocatable(*machine, resource).Text() + " " + name +
                        " in the whole pod"});
}

void Check(const Subject& subject, Report& report) {
  for (const Resource resource : kResources) CheckResource(subject, resource, report);
}

}  // namespace

const Rule kTPU602 = {
    .id = "TPU602",
    .name = "exceeds-machine",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words =
        {.what = "The CPU or memory that the pod asks for (its containers and sidecars together, "
                 "or the peak of an init container) is as much as the largest machine that the "
                 "selectors allow has in all, or more.",
         .why = "A node always keeps a part of its machine for the system, so a request for all "
                "of it never fits, and the pod stays Pending. On GKE a ct6e-standard-8t has 180 "
                "vCPU, not 360, because SMT is off there and cannot be turned on.",
         .fix = "Ask for less than what the node can give, which the message names. What TPU "
                "programs need of the host is usually far below it.",
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
      requests: {cpu: "180", memory: 300Gi}
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
             "GoogleCloudPlatform/cluster-autoscaler@7d25050 "
             "pkg/cloudprovider/gke/machinetypes/deprecated_tpu_config.go\n"
             "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes"},
    .check = Check,
};

}  // namespace tpu_admission::rules
