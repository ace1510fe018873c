#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

// The chips that the user seems to want: what the pods ask for if that makes a slice, else the
// size of the topology as written.
std::int64_t WishOf(const Subject& subject) {
  const std::int64_t wished = WishedChips(subject);
  return wished > 0 ? wished : subject.shape.topology->chips();
}

// The list of a generation without custom shapes is the reason already.
std::string Choice(const tpu::Generation& generation) {
  return generation.custom ? " Its topologies are " + Topologies(generation) + "." : "";
}

void Check(const Subject& subject, Report& report) {
  const Shape& shape = subject.shape;
  if (shape.generation == nullptr || !shape.topology) return;
  if (shape.topology->rank() != shape.generation->dimensions) return;
  const tpu::OfferAnswer answer = shape.generation->OfferOf(*shape.topology);
  if (answer.offer == tpu::Offer::kOffered) return;
  const std::string found = shape.topology->Text();
  const bool disputed = answer.offer == tpu::Offer::kDisputed;
  const std::string& label = shape.generation->label;
  report.Add(
      {.pointer = subject.At(NodeLabel::kTopology),
       .container = "",
       .summary = disputed ? "topology " + found + " of " + label + " is doubtful: sources disagree"
                           : "topology " + found + " is not offered for " + label,
       .problem = "is " + found + ", which " + label +
                  (disputed ? " may not have: " : " does not have: ") + answer.reason + "." +
                  Choice(*shape.generation),
       .change = SelectorChange(subject, NodeLabel::kTopology,
                                JoinOr(NearestTopologies(subject, WishOf(subject)))),
       .milder = disputed ? std::optional(Mode::kWarn) : std::nullopt});
}

}  // namespace

const Rule kTPU203 = {
    .id = "TPU203",
    .name = "topology-not-offered",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words =
        {.what = "The topology is well formed, but GKE does not offer it for this generation: it "
                 "is not in the list, and it is no custom shape that the generation allows.",
         .why = "A node pool with that topology cannot be made, so no node ever has the label and "
                "the pod stays Pending.",
         .fix = "Use one of the topologies that the message names. Where custom shapes exist (v4, "
                "v5p and TPU7x above 64 chips), every dimension must be a multiple of 4 and the "
                "dimensions must not decrease.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 3x3
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
                    "GoogleCloudPlatform/cluster-autoscaler@7d25050 "
                    "pkg/cloudprovider/gke/machinetypes/deprecated_tpu_config.go"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
