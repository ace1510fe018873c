#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

constexpr std::string_view kLabel = "cloud.google.com/extended-duration-pods";

void Check(const Subject& subject, Report& report) {
  if (subject.workload.managed_elsewhere) return;
  const auto label = workload::FindRequired(subject.pods.pod.spec, kLabel);
  if (!label) return;
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  if (autopilot && (!label->fixed || k8s::Quantity::Parse(label->value))) return;
  report.Add(
      {.pointer = subject.At(*label),
       .container = "",
       .summary = autopilot ? "extended-duration-pods is " + Quoted(label->value) +
                                  ", which is no amount of CPU"
                            : "extended-duration pods are only available on GKE Autopilot",
       .problem = autopilot
                      ? "is " + Quoted(label->value) + ", but GKE reads an amount of CPU here."
                      : "asks for a node of Autopilot's extended-duration pods, but this "
                        "cluster is a Standard one (--cluster-mode): no node has the "
                        "label.",
       .change = autopilot ? "set it to the CPU of the pod, or leave it out"
                           : "leave " + std::string(kLabel) + " out"});
}

}  // namespace

const Rule kTPU704 = {
    .id = "TPU704",
    .name = "extended-duration",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what =
             "The pod asks for a node for extended-duration pods (label "
             "cloud.google.com/extended-duration-pods) in a cluster that is not an Autopilot one, "
             "or, on Autopilot, with a value that is no amount of CPU. The annotation "
             "cluster-autoscaler.kubernetes.io/safe-to-evict is fine everywhere.",
         .why =
             "Only Autopilot has extended-duration pods. Autopilot's webhook adds this label to "
             "pods, and a controller that copies them to other clusters (MultiKueue) takes it "
             "along; on a Standard cluster no node carries it, so the pod stays Pending without a "
             "word.",
         .fix = "Leave the label out on Standard clusters.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
    cloud.google.com/extended-duration-pods: "100"
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
         .sources = "GoogleCloudPlatform/cluster-autoscaler@7d25050 pkg/autoprovisioning/error.go\n"
                    "https://github.com/vllm-project/ci-infra/pull/540\n"
                    "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus"},
    .check = Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
