#include "rules/engine/phrases.h"
#include "tpu_admission/base/json_pointer.h"

namespace tpu_admission::rules {
namespace {

constexpr std::string_view kTaintValue = "present";
constexpr std::string_view kTaintEffect = "NoSchedule";

void Check(const Subject& subject, Report& report) {
  const std::span<const k8s::Toleration> tolerations = subject.pods.pod.spec.tolerations;
  std::optional<std::size_t> wrong;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (tolerations[i].Tolerates(workload::kTpuResource, kTaintValue, kTaintEffect)) return;
    if (tolerations[i].key == workload::kTpuResource) wrong = i;
  }
  if (!wrong || workload::IsPlaceholder(tolerations[*wrong].value)) return;
  std::string pointer = subject.AtSpec("/tolerations");
  AppendPointerIndex(pointer, *wrong);
  report.Add(
      {.pointer = std::move(pointer),
       .container = "",
       .summary = "toleration of google.com/tpu does not match google.com/tpu=present:NoSchedule",
       .problem = "speaks of google.com/tpu, but does not tolerate the taint that TPU nodes "
                  "carry, google.com/tpu=present:NoSchedule. It is harmless only where GKE "
                  "adds its own.",
       .change = "write {key: google.com/tpu, operator: Exists, effect: NoSchedule}"});
}

}  // namespace

const Rule kTPU105 = {
    .id = "TPU105",
    .name = "toleration-value",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what = "A toleration names google.com/tpu, but its value, operator or effect does not "
                 "match the taint google.com/tpu=present:NoSchedule of TPU nodes, and no other "
                 "toleration does.",
         .why = "A toleration with operator Equal matches only the very value of the taint. "
                "`true` and an empty value do not match `present`, and the pod stays Pending "
                "where GKE does not add a toleration of its own.",
         .fix = "Use operator Exists, which matches whatever the value is.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  tolerations:
  - {key: google.com/tpu, operator: Equal, value: "true", effect: NoSchedule}
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
  tolerations:
  - {key: google.com/tpu, operator: Exists, effect: NoSchedule}
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
         .sources =
             "GoogleCloudPlatform/cluster-autoscaler@7d25050 pkg/autoprovisioning/injection.go\n"
             "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"},
    .check = Check,
};

}  // namespace tpu_admission::rules
