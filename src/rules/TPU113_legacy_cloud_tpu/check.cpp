#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

constexpr std::string_view kPrefix = "cloud-tpus.google.com/";

std::string_view LegacyResource(const k8s::ResourceList& resources) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (resources.Name(i).starts_with(kPrefix)) return resources.Name(i);
  }
  return {};
}

void Check(const Subject& subject, Report& report) {
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    std::string_view resource = LegacyResource(container.limits);
    if (resource.empty()) resource = LegacyResource(container.requests);
    if (resource.empty()) continue;
    const std::string name = Printable(resource);
    report.Add({.pointer = subject.At(container),
                .container = std::string(container.name),
                .summary = Title(container) + " asks for " + name + ", which no TPU node offers",
                .problem = "asks for " + name +
                           ", a resource of the former Cloud TPU operator. TPU nodes of GKE offer "
                           "google.com/tpu alone, so the pod stays Pending.",
                .change = "ask for google.com/tpu instead, and select the nodes by "
                          "cloud.google.com/gke-tpu-accelerator and "
                          "cloud.google.com/gke-tpu-topology (tpu-admission catalog lists both)"});
  }
}

}  // namespace

const Rule kTPU113 = {
    .id = "TPU113",
    .name = "legacy-cloud-tpu",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what = "A container asks for cloud-tpus.google.com/v2, v3, preemptible-v3 or the like: "
                 "resources of the Cloud TPU operator that GKE had before TPU node pools.",
         .why = "That operator made a TPU for each pod and attached it over the network. Today "
                "TPUs belong to nodes, which offer the resource google.com/tpu; nothing answers to "
                "the former name, and the pod waits.",
         .fix = "Ask for google.com/tpu with the chips of one host, add the two TPU selectors, "
                "and remove annotations that begin with tf-version.cloud-tpus.google.com.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  containers:
  - name: jax
    image: example.com/jax
    resources:
      limits: {cloud-tpus.google.com/v3: 8}
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
         .sources = "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus"},
    .check = Check,
    .audience = workload::TpuUses(workload::TpuUse::kLegacy),
};

}  // namespace tpu_admission::rules
