#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

// The names of the workers are given in another way, or are not needed.
bool HasOwnNames(const k8s::PodSpec& spec) {
  for (const k8s::Container& container : spec.containers) {
    if (container.HasEnv("TPU_WORKER_HOSTNAMES") || container.HasEnv("TPU_PROCESS_BOUNDS") ||
        container.HasEnv("TPU_HOST_BOUNDS") || container.HasEnv("TPU_PROCESS_ADDRESSES")) {
      return true;
    }
  }
  return false;
}

void Check(const Subject& subject, Report& report) {
  const workload::PodSet& pods = subject.pods;
  // A JobSet makes the Service itself.
  const bool plain = pods.scale.counting == workload::Counting::kJob && !pods.row->always_indexed;
  if (!plain || !pods.pod.spec.Text("subdomain").empty()) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || !slice->multi_host() || HasOwnNames(pods.pod.spec)) return;
  if (pods.scale.pods.value.value_or(0) == 0) return;
  const std::string hosts = Count(slice->hosts, "host");
  report.Add({.pointer = std::string(pods.spec_pointer),
              .container = "",
              .summary = "no subdomain: the workers of " + slice->topology.Text() +
                         " cannot find each other by name",
              .problem = "has no subdomain, so its pods have no names in DNS, but the workers on "
                         "the " +
                         hosts + " of " + slice->topology.Text() +
                         " find each other by name before the first step.",
              .change = "set subdomain to the name of a headless Service that has "
                        "publishNotReadyAddresses: true and selects the pods of the Job"});
}

}  // namespace

const Rule kTPU409 = {
    .id = "TPU409",
    .name = "worker-names",
    .mode = Mode::kAudit,
    .judges_counts = true,
    .words =
        {.what =
             "A plain Job over several hosts has no subdomain. Its pods then have host names, but "
             "nobody can look them up.",
         .why =
             "The workers of a multi-host slice find each other by the names of their pods. DNS "
             "knows these names only if the pods have a subdomain and a headless Service of that "
             "name exists. It must publish the addresses of pods that are not ready yet, because "
             "no worker becomes ready before it has found the others.",
         .fix = "Create a Service with clusterIP: None and publishNotReadyAddresses: true that "
                "selects the pods of the Job, and set subdomain in the pod template to its name. A "
                "JobSet does all this by itself.",
         .wrong = R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 4x4
      containers:
      - name: jax
        image: example.com/jax
        resources:
          requests: {cpu: "100", memory: 300Gi}
          limits: {google.com/tpu: 4}
)",
         .right = R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  template:
    spec:
      subdomain: train
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 4x4
      containers:
      - name: jax
        image: example.com/jax
        resources:
          requests: {cpu: "100", memory: 300Gi}
          limits: {google.com/tpu: 4}
)",
         .sources = "https://kubernetes.io/docs/tasks/job/job-with-pod-to-pod-communication/\n"
                    "ray-project/kuberay#2375"},
    .check = Check,
};

}  // namespace tpu_admission::rules
