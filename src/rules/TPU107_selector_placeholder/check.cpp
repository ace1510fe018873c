#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

// The kinds of Kubernetes itself: the API server checks the selectors in them.
bool IsBuiltIn(const workload::Kind& kind) {
  return kind.group.empty() || kind.group == "apps" || kind.group == "batch";
}

// <topology>, and no mark of a template engine.
bool IsBlank(const workload::Selected& selected) {
  return selected.state == workload::Selected::State::kOpaque &&
         selected.value.find('<') != selected.value.npos &&
         selected.value.find_first_of("{$") == selected.value.npos;
}

void Check(const Subject& subject, Report& report) {
  if (IsBuiltIn(*subject.workload.kind)) return;
  for (std::size_t i = 0; i < workload::kNodeLabels.size(); ++i) {
    const auto label = static_cast<NodeLabel>(i);
    const workload::Selected& selected = subject.shape.choice[label];
    if (!IsBlank(selected)) continue;
    const std::string value = Quoted(selected.value);
    report.Add({.pointer = subject.At(label),
                .container = "",
                .summary = std::string(FieldOf(subject, label)) + " is still " + value,
                .problem = "is still " + value +
                           ", a blank that somebody meant to fill in. No label has such a value: "
                           "the API server takes this " +
                           std::string(subject.workload.kind->name) +
                           ", and then refuses what is made from it.",
                .change = "put the value in its place, without the brackets"});
  }
}

}  // namespace

const Rule kTPU107 = {
    .id = "TPU107",
    .name = "selector-placeholder",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what = "A selector for TPU nodes still holds a blank in angle brackets, such as "
                 "<tpu_accelerator>, that was never filled in. Only custom resources (JobSet, "
                 "LeaderWorkerSet, RayCluster and so on) are judged: in a Pod or a Job the API "
                 "server finds the fault itself. Blanks of template engines, {{ }} and $NAME, are "
                 "left alone.",
         .why = "A label value may hold letters, digits, dashes, dots and underscores, no "
                "brackets. The API server does not look into the pod templates of custom "
                "resources, so the object is accepted; each Job or Pod that its controller makes "
                "is then refused, again and again, and only the controller's log and events tell.",
         .fix = "Fill in the value. `tpu-admission catalog` lists accelerators and topologies.",
         .wrong = R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: worker
    template:
      spec:
        parallelism: 1
        completions: 1
        template:
          spec:
            restartPolicy: Never
            nodeSelector:
              cloud.google.com/gke-tpu-accelerator: <accelerator>
              cloud.google.com/gke-tpu-topology: <topology>
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
    template:
      spec:
        parallelism: 1
        completions: 1
        template:
          spec:
            restartPolicy: Never
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
         .sources = "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/"
                    "#syntax-and-character-set"},
    .check = Check,
    .audience = kNodeSelectors | workload::TpuUse::kSelects,
};

}  // namespace tpu_admission::rules
