#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const bool owned = !subject.workload.metadata.controller_kind.empty();
  if (subject.pods.scale.counting != workload::Counting::kNone || owned) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || !slice->multi_host()) return;
  const bool leads = subject.pods.row->leads;
  const std::string kind = leads ? "leading pod" : std::string(subject.workload.kind->name);
  report.Add({.pointer = subject.At(workload::NodeLabel::kTopology),
              .container = "",
              .summary = slice->topology.Text() + " has " + Count(slice->hosts, "host") + ", a " +
                         kind + " does not start pods for all of them together",
              .problem = "is " + slice->topology.Text() + ", " +
                         Count(slice->topology.chips(), "chip") + " on " +
                         Count(slice->hosts, "host") +
                         " that begin only when a pod runs on "
                         "each of them; a " +
                         kind + " by itself does not see to that.",
              .change = "use a Job with parallelism " + std::to_string(slice->pods) +
                        ", a JobSet or a LeaderWorkerSet, or select a single-host topology"});
}

}  // namespace

const Rule kTPU405 = {
    .id = "TPU405",
    .name = "multi-host-alone",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .words =
        {.what = "A multi-host slice needs one pod on each of its hosts at the same time, and "
                 "each must know its number. A single Pod, a Deployment, a ReplicaSet or a "
                 "DaemonSet does not give that.",
         .why = "The TPU runtime waits for all hosts of the slice. A lone pod holds its chips and "
                "waits; pods of a Deployment have no index and are replaced one by one.",
         .fix = "Use an Indexed Job, a JobSet, a LeaderWorkerSet or a StatefulSet with as many "
                "pods as hosts, or a topology that fits one host.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
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
         .sources = "GoogleCloudPlatform/cluster-autoscaler@7d25050 "
                    "pkg/cloudprovider/gke/machinetypes/machine_config_provider.go\n"
                    "https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus"},
    .check = Check,
};

}  // namespace tpu_admission::rules
