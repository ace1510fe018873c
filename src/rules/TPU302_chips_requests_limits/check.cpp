#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

std::string Shown(const k8s::Amount& amount) {
  if (!amount.text.empty()) return Printable(amount.text, 24);
  return amount.quantity ? amount.quantity->Text() : "not a number";
}

void Check(const Subject& subject, Report& report) {
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    const std::optional<k8s::Amount> request = container.requests.Find(workload::kTpuResource);
    const std::optional<k8s::Amount> limit = container.limits.Find(workload::kTpuResource);
    const bool no_request = !request;  // it then defaults to the limit
    const bool equal = request && limit && request->quantity == limit->quantity;
    const bool unreadable = (request && !request->quantity) || (limit && !limit->quantity);
    if (no_request || equal || unreadable) continue;
    report.Add({.pointer = subject.At(container, "/resources"),
                .container = std::string(container.name),
                .summary = Title(container) + " requests " + Shown(*request) + " google.com/tpu, " +
                           (limit ? "its limit is " + Shown(*limit) : "it has no limit"),
                .problem = "has request " + Shown(*request) + " and " +
                           (limit ? "limit " + Shown(*limit) : std::string("no limit")) +
                           " of google.com/tpu. Kubernetes wants both equal for chips, which "
                           "cannot be overcommitted, and the API server refuses such a pod.",
                .change = "set requests and limits of google.com/tpu to the same number, or keep "
                          "only the limit"});
  }
}

}  // namespace

const Rule kTPU302 = {
    .id = "TPU302",
    .name = "chips-requests-limits",
    .mode = Mode::kDeny,
    .judges_counts = false,
    .words = {.what = "The request and the limit of google.com/tpu of a container must be equal. A "
                      "limit alone is fine: the request then defaults to it.",
              .why =
                  "google.com/tpu is an extended resource, which Kubernetes does not overcommit. "
                  "The API server refuses a Pod with unequal values; a JobSet or another custom "
                  "resource with them is accepted, and its pods then never appear.",
              .fix = "Write the same number in both, or only the limit.",
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
      requests: {cpu: "100", memory: 300Gi, google.com/tpu: 4}
      limits: {google.com/tpu: 8}
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
              .sources = "https://kubernetes.io/docs/concepts/configuration/"
                         "manage-resources-containers/#extended-resources"},
    .check = Check,
};

}  // namespace tpu_admission::rules
