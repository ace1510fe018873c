#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob || scale.indexed) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || !slice->multi_host() || scale.pods.value == 0) return;
  report.Add({.pointer = std::string(scale.pointer) + "/completionMode",
              .container = "",
              .summary = "Job on " + Count(slice->hosts, "host") +
                         " is not Indexed, so pods have no worker number",
              .problem = "is not Indexed, but the pods run on " + Count(slice->hosts, "host") +
                         " of a " + slice->topology.Text() +
                         " slice and must know which worker each of them is. "
                         "Only an Indexed Job gives its pods an index and a stable host name.",
              .change = "set completionMode to Indexed"});
}

}  // namespace

const Rule kTPU403 = {
    .id = "TPU403",
    .name = "job-not-indexed",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .words = {.what =
                  "A plain Job on a multi-host slice should have completionMode Indexed. A JobSet "
                  "sets it by itself.",
              .why =
                  "The workers of a slice find each other by index and host name. Without an index "
                  "every pod takes itself for the first worker, or the program has to find its "
                  "number by other means.",
              .fix = "Set completionMode to Indexed, and completions to the number of hosts.",
              .wrong = R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 4
  completions: 4
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
              .sources =
                  "https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode"},
    .check = Check,
};

}  // namespace tpu_admission::rules
