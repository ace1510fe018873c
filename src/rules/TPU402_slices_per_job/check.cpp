#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::Counting;

// What holds the pods together: "Job", "group".
std::string_view Unit(Counting counting) { return counting == Counting::kGroup ? "group" : "Job"; }

std::string Change(const workload::Scale& scale, const std::string& slices, std::int64_t pods) {
  if (scale.counting != Counting::kGroup) {
    return "use a JobSet with " + slices + " replicas of a Job with parallelism " +
           std::to_string(pods);
  }
  return CountChange(scale, pods) + " and replicas to " + slices;
}

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  const bool counted = scale.counting == Counting::kJob || scale.counting == Counting::kGroup ||
                       scale.counting == Counting::kTogether;
  if (!counted || !scale.tpu_pods) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  const std::int64_t found = *scale.tpu_pods;
  if (!slice || !slice->multi_host() || found <= slice->pods || found % slice->pods != 0) return;
  const std::string slices = std::to_string(found / slice->pods);
  const std::string topology = slice->topology.Text();
  const std::string unit(Unit(scale.counting));
  report.Add({.pointer = scale.pods.pointer(),
              .container = "",
              .summary = Count(found, "pod") + " of one " + unit + " span " + slices +
                         " slices of " + topology,
              .problem = FoundPods(scale) + ", which is " + slices + " slices of " + topology +
                         " (" + Count(slice->pods, "pod") + " each) in one " + unit +
                         ". Nothing keeps the pods of a slice together, and their indexes run on "
                         "across slices.",
              .change = Change(scale, slices, slice->pods)});
}

}  // namespace

const Rule kTPU402 = {
    .id = "TPU402",
    .name = "slices-per-job",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .words =
        {.what = "One Job has the pods of several slices. It can work, if the program sorts out "
                 "by itself which pods form a slice.",
         .why = "The scheduler may put the pods of one Job on any of the slices in any order, and "
                "the worker index of a pod then does not say which host of which slice it is.",
         .fix = "Use a JobSet: each replica of its replicated job is one slice, with a Job of "
                "exactly the hosts of the slice, and exclusive topology keeps them together.",
         .wrong = R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 8
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
         .sources =
             "https://jobset.sigs.k8s.io/docs/tasks/\n"
             "GoogleCloudPlatform/kubernetes-engine-samples@2b50365 ai-ml/gke-tpu-dynamic-slicing"},
    .check = Check,
};

}  // namespace tpu_admission::rules
