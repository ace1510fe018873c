#include <algorithm>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

// "all-tpus", "my-tpu": a name that says TPUs. "tpu-net-interfaces" is for network cards.
bool NamesTpus(std::string_view name) { return name.ends_with("tpu") || name.ends_with("tpus"); }

bool MayBeForTpus(const k8s::ClaimReference& claim) {
  return NamesTpus(claim.name) || NamesTpus(claim.source);
}

const k8s::Container& FirstWithChips(const k8s::PodSpec& spec) {
  return *std::find_if(spec.containers.begin(), spec.containers.end(), workload::UsesTpu);
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (!spec.has_resource_claims) return;
  for (std::size_t i = 0; i < spec.ClaimCount(); ++i) {
    const k8s::ClaimReference claim = spec.ClaimAt(i);
    if (!MayBeForTpus(claim)) continue;
    const std::string name = Quoted(claim.source.empty() ? claim.name : claim.source);
    const k8s::Container& container = FirstWithChips(spec);
    report.Add({.pointer = subject.AtSpec("/resourceClaims/" + std::to_string(i)),
                .container = "",
                .summary = "asks for TPUs twice: by google.com/tpu and by the claim " + name,
                .problem = "is a claim whose name says TPUs (" + name + "), but " +
                           Title(container) +
                           " asks for google.com/tpu too. A node gives its TPUs by one of the two "
                           "ways, so no node has both.",
                .change = "remove either the claim or google.com/tpu"});
    return;
  }
}

}  // namespace

const Rule kTPU306 = {
    .id = "TPU306",
    .name = "claims-and-chips",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what =
             "A pod asks for TPUs in both ways at once: by the resource google.com/tpu of the "
             "device plugin, and by a resource claim of the TPU driver for dynamic resource "
             "allocation (DRA). We see only the name of a claim, so we speak of those whose name "
             "ends with tpu or tpus.",
         .why =
             "A node gives its TPUs either by the device plugin or by the DRA driver: the label "
             "that lets the driver run on a node keeps the device plugin away. No node has both, "
             "so the pod stays Pending.",
         .fix =
             "Keep one of the two. Claims for other devices, such as network cards, go well beside"
             " google.com/tpu.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  resourceClaims:
  - {name: devices, resourceClaimTemplateName: all-tpus}
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
         .sources = "kubernetes-sigs/dra-driver-google-tpu@f5a9d8c README.md\n"
                    "https://kubernetes.io/docs/concepts/scheduling-eviction/"
                    "dynamic-resource-allocation/"},
    .check = Check,
};

}  // namespace tpu_admission::rules
