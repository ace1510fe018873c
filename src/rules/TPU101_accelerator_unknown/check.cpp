#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

std::string KnownLabels(const tpu::Catalog& catalog) {
  std::vector<std::string> labels;
  for (const tpu::Generation& generation : catalog.generations()) {
    if (generation.documented) labels.push_back(generation.label);
  }
  return JoinOr(labels);
}

Finding Misspelt(const Subject& subject, const std::string& value, const tpu::Generation& meant) {
  return {.pointer = subject.At(NodeLabel::kAccelerator),
          .container = "",
          .summary = "accelerator " + value + " does not exist, " + meant.label + " does",
          .problem = "is " + value + ", but no TPU node is called that; the name of " + meant.name +
                     " is " + meant.label + ". Pods that are sent there stay Pending for ever.",
          .change = SelectorChange(subject, NodeLabel::kAccelerator, meant.label)};
}

Finding Unknown(const Subject& subject, const std::string& value) {
  const std::string version(subject.catalog.version());
  return {.pointer = subject.At(NodeLabel::kAccelerator),
          .container = "",
          .summary = "accelerator " + value + " is not in the TPU catalog of " + version,
          .problem = "is " + value + ", which the TPU catalog of " + version +
                     " does not know, so nothing that depends on it was checked. If it is a new "
                     "generation, this is no fault.",
          .change = "check the spelling (known: " + KnownLabels(subject.catalog) +
                    "), or give tpu-admission a newer catalog",
          .milder = Mode::kWarn};
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& accelerator = subject.shape.choice[NodeLabel::kAccelerator];
  if (!accelerator.fixed() || subject.shape.generation != nullptr) return;
  const std::string value = Quoted(accelerator.value);
  const tpu::Generation* meant = subject.catalog.LooksLikeNewGeneration(accelerator.value)
                                     ? nullptr
                                     : subject.catalog.Guess(accelerator.value);
  report.Add(meant != nullptr ? Misspelt(subject, value, *meant) : Unknown(subject, value));
}

}  // namespace

const Rule kTPU101 = {
    .id = "TPU101",
    .name = "accelerator-unknown",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words =
        {.what =
             "The value of cloud.google.com/gke-tpu-accelerator must be a label that GKE puts on "
             "TPU nodes. A misspelt name of a known generation is denied with the right one; a "
             "name that may be a newer generation only warns.",
         .why =
             "The scheduler compares labels letter by letter. A pod that selects a label which no "
             "node has stays Pending, and the node auto-provisioner cannot help: it does not know "
             "the type either.",
         .fix = "Use the label of the generation: `tpu-admission catalog` lists them. The suffix "
                "differs between generations (podslice, slice, device, or none), so it cannot be "
                "guessed from another one.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-podslice
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
         .sources = "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus\n"
                    "GoogleCloudPlatform/cluster-autoscaler@7d25050 "
                    "pkg/cloudprovider/gke/machinetypes/deprecated_tpu_config.go"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
