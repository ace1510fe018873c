#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob || !scale.completions.written) return;
  if (!scale.completions.value || !scale.pods.value || *scale.pods.value <= 0) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  const std::int64_t completions = *scale.completions.value;
  const std::int64_t parallelism = *scale.pods.value;
  if (!slice || !slice->multi_host() || completions == parallelism) return;
  report.Add({.pointer = scale.completions.pointer(),
              .container = "",
              .summary = "completions " + std::to_string(completions) + " and parallelism " +
                         std::to_string(parallelism) + " differ on a multi-host slice",
              .problem = "is " + std::to_string(completions) + ", but parallelism is " +
                         std::to_string(parallelism) + ". All workers of a " +
                         slice->topology.Text() +
                         " slice start and end together, so the pods that "
                         "come later or are missing leave the others waiting.",
              .change = CountChange(scale, slice->pods)});
}

}  // namespace

const Rule kTPU404 = {
    .id = "TPU404",
    .name = "completions",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .words =
        {.what = "On a multi-host slice completions of a Job should equal parallelism: one pod a "
                 "host, all at the same time.",
         .why = "With fewer completions than parallelism the Job starts fewer pods than the slice "
                "has hosts; with more, the next pods start one by one as others end, and wait for "
                "partners that are gone.",
         .fix = "Set both parallelism and completions to the number of hosts of the slice.",
         .wrong = R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 4
  completions: 8
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
         .sources = "https://kubernetes.io/docs/concepts/workloads/controllers/job/#parallel-jobs"},
    .check = Check,
};

}  // namespace tpu_admission::rules
