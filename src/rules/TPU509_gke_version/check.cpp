#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/gke_version.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const std::string& found = subject.cluster.gke_version;
  const tpu::Generation* generation = subject.shape.generation;
  if (found.empty() || generation == nullptr || subject.workload.managed_elsewhere) return;
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  const std::string& minimum =
      autopilot ? generation->min_gke_version.autopilot : generation->min_gke_version.standard;
  const auto version = tpu::GkeVersion::Parse(found);
  const auto wanted = tpu::GkeVersion::Parse(minimum);
  if (!version || !wanted || !version->IsBelow(*wanted)) return;
  const std::string mode = autopilot ? "Autopilot" : "Standard";
  report.Add(
      {.pointer = subject.At(workload::NodeLabel::kAccelerator),
       .container = "",
       .summary =
           generation->label + " needs GKE " + minimum + ", the cluster is " + Printable(found),
       .problem = "is " + generation->label + ", which GKE " + mode + " supports from " + minimum +
                  " on, but this cluster is " + Printable(found) + ": it can make no such node.",
       .change = "upgrade the cluster to " + minimum + " or later"});
}

}  // namespace

const Rule kTPU509 = {
    .id = "TPU509",
    .name = "gke-version",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what =
             "The version of the cluster is below the first one that supports the TPU generation "
             "in the cluster's mode. It is judged only if tpu-admission was told the version "
             "(--gke-version), and it only warns, because the pages do not agree on all of the "
             "versions.",
         .why =
             "An older control plane does not know the machines of the generation, so it makes no "
             "such node and the pod stays Pending. Node pools of v5p scale by themselves from "
             "1.29.2-gke.1035000 on.",
         .fix = "Upgrade the cluster, or use a generation that its version has; `tpu-admission "
                "catalog` lists the versions.",
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
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
         .right = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 100Gi}
      limits: {google.com/tpu: 4}
)",
         .sources = "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus\n"
                    "https://docs.cloud.google.com/kubernetes-engine/docs/concepts/tpu-ironwood"},
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
