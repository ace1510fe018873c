#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob || !scale.tpu_pods || !scale.slices.value) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  const std::int64_t pods = *scale.tpu_pods;
  const std::int64_t jobs = *scale.slices.value;
  if (!slice || pods <= 0 || jobs < 2 || pods >= slice->pods) return;
  if ((pods * jobs) % slice->pods != 0) return;
  const std::string slices = std::to_string(pods * jobs / slice->pods);
  const std::string topology = slice->topology.Text();
  report.Add({.pointer = scale.slices.pointer(),
              .container = "",
              .summary = "a slice of " + topology + " is spread over " + Count(jobs, "Job") +
                         " with " + Count(pods, "pod") + " each",
              .problem = "is " + std::to_string(jobs) + ", so the " + Count(slice->pods, "pod") +
                         " of a " + topology +
                         " slice belong to several Jobs. Each Job counts its "
                         "pods from 0, starts and fails by itself, and nothing keeps the Jobs on "
                         "one slice.",
              .change = "set " + std::string(scale.slices.field) + " to " + slices +
                        " and parallelism and completions to " + std::to_string(slice->pods)});
}

}  // namespace

const Rule kTPU406 = {
    .id = "TPU406",
    .name = "slice-over-jobs",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .words =
        {.what = "The pods of one multi-host slice come from several child Jobs of a JobSet. In a "
                 "JobSet each replica of a replicated job is meant to be one slice, and the "
                 "parallelism of its Job the hosts of that slice.",
         .why = "The pods number themselves within their Job, so every worker believes that it is "
                "number 0, unless the program finds its number in another way. A Job that is "
                "restarted alone leaves the rest of its slice waiting, and exclusive placement "
                "gives every Job a slice of its own.",
         .fix = "Set replicas to the number of slices, and parallelism and completions to the "
                "hosts of one slice.",
         .wrong = R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: worker
    replicas: 4
    template:
      spec:
        parallelism: 1
        completions: 1
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
         .right = R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: worker
    replicas: 1
    template:
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
         .sources = "https://jobset.sigs.k8s.io/docs/concepts/\n"
                    "AI-Hypercomputer/xpk@367c838 src/xpk/commands/workload.py"},
    .check = Check,
};

}  // namespace tpu_admission::rules
