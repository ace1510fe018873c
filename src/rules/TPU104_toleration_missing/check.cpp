#include <algorithm>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

// True if any toleration speaks of the taint: what the user set, even wrongly, is not touched.
bool SpeaksOfTaint(const k8s::PodSpec& spec) {
  return std::any_of(spec.tolerations.begin(), spec.tolerations.end(), [](const auto& toleration) {
    return toleration.key == workload::kTpuResource ||
           (toleration.key.empty() && toleration.op == "Exists");
  });
}

void Mend(const Subject& subject, std::vector<Fix>& fixes) {
  if (!SpeaksOfTaint(subject.pods.pod.spec)) fixes.emplace_back(AddToleration{});
}

// A DaemonSet makes no pod for a node whose taint its template does not tolerate, so there is never
// a Pod that somebody could add the toleration to.
void CheckDaemonSet(const Subject& subject, Report& report) {
  report.Add({.pointer = subject.AtSpec("/tolerations"),
              .container = "",
              .summary = "a DaemonSet without the toleration of google.com/tpu makes no TPU pods",
              .problem =
                  "has none for google.com/tpu, the taint of TPU nodes. A DaemonSet makes pods "
                  "only for nodes that its template tolerates, so it makes none there, and "
                  "there is no pod that the toleration could be added to.",
              .change = "add {key: google.com/tpu, operator: Exists, effect: NoSchedule}"});
}

void Check(const Subject& subject, Report& report) {
  if (SpeaksOfTaint(subject.pods.pod.spec)) return;
  if (subject.workload.kind->name == "DaemonSet") return CheckDaemonSet(subject, report);
  report.Add({.pointer = subject.AtSpec("/tolerations"),
              .container = "",
              .summary = "no toleration of the TPU taint google.com/tpu",
              .problem = "has none for google.com/tpu, the taint that keeps other pods off TPU "
                         "nodes. tpu-admission adds it to pods; so does GKE where its plugin "
                         "ExtendedResourceToleration is on.",
              .change = "add {key: google.com/tpu, operator: Exists, effect: NoSchedule}",
              .milder = Mode::kAudit});
}

}  // namespace

const Rule kTPU104 = {
    .id = "TPU104",
    .name = "toleration-missing",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what =
             "TPU nodes carry the taint google.com/tpu=present:NoSchedule, and the pod has no "
             "toleration that speaks of it. Pods are given one on creation; templates are "
             "left as they are, because a patched template would make the next `kubectl "
             "apply` fail or roll out anew. So this is only recorded; but a DaemonSet, which makes "
             "its pods by the template's tolerations, is warned.",
         .why = "Without the toleration the scheduler keeps the pod off every TPU node. GKE "
                "normally adds it by itself, so its absence is only recorded.",
         .fix = "Nothing needs to be done. To be explicit, add the toleration to the pod template.",
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
             "https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/"
             "#extendedresourcetoleration"},
    .check = Check,
    .fix = Mend,
};

}  // namespace tpu_admission::rules
