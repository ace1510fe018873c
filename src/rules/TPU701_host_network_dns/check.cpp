#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

bool CannotFindNames(const k8s::PodSpec& spec) {
  if (!spec.UsesHostNetwork()) return false;
  const std::string_view policy = spec.Text("dnsPolicy");
  return policy.empty() || policy == "ClusterFirst";
}

// A pod by hand may be applied again with the very dnsPolicy that it has in its file.
bool MayBeChanged(const Subject& subject) {
  return !subject.is_pod() || !subject.workload.metadata.controller_kind.empty();
}

void Mend(const Subject& subject, std::vector<Fix>& fixes) {
  if (CannotFindNames(subject.pods.pod.spec) && MayBeChanged(subject)) {
    fixes.emplace_back(SetDnsPolicy{});
  }
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (!CannotFindNames(spec)) return;
  report.Add(
      {.pointer = subject.AtSpec("/dnsPolicy"),
       .container = "",
       .summary = "hostNetwork without dnsPolicy ClusterFirstWithHostNet: names of the "
                  "cluster are not found",
       .problem = std::string(spec.Text("dnsPolicy").empty() ? "is not set" : "is ClusterFirst") +
                  ", but with hostNetwork the pod then asks the DNS of its host, which "
                  "knows no names of Services or other pods.",
       .change = "set dnsPolicy to ClusterFirstWithHostNet"});
}

}  // namespace

const Rule kTPU701 = {
    .id = "TPU701",
    .name = "host-network-dns",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what =
             "The pod uses the network of its host, and its dnsPolicy is ClusterFirst, written or "
             "by default. New pods of a controller (a Job, a JobSet and so on) are given "
             "ClusterFirstWithHostNet. A dnsPolicy of Default or None is a choice and is left "
             "alone.",
         .why =
             "With hostNetwork, Kubernetes treats ClusterFirst as Default: the pod asks the DNS "
             "of its host, which does not know the names of Services and of the other pods. The "
             "hosts of a slice then do not find each other. The API server writes ClusterFirst "
             "into every pod that says nothing, so a chosen one cannot be told from the default; "
             "with hostNetwork it never does what it says. A pod that was created by hand is not "
             "changed, because a second `kubectl apply` of a file that says ClusterFirst would "
             "try to change it back, which the API server forbids.",
         .fix = "Set dnsPolicy: ClusterFirstWithHostNet beside hostNetwork: true.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  hostNetwork: true
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
  hostNetwork: true
  dnsPolicy: ClusterFirstWithHostNet
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
         .sources = "https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/\n"
                    "AI-Hypercomputer/xpk@367c838 src/xpk/commands/workload.py"},
    .check = Check,
    .fix = Mend,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
