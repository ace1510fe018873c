#include <algorithm>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace tpu104 {

// True if any toleration speaks of the taint: what the user set, even wrongly, is not touched.
bool SpeaksOfTaint(const k8s::PodSpec& spec) {
  return std::any_of(spec.tolerations.begin(), spec.tolerations.end(), [](const auto& toleration) {
    return toleration.key == workload::kTpuResource ||
           (toleration.key.empty() && toleration.op == "Exists");
  });
}

void Mend(const Subject& subject, std::vector<Fix>& fixes) {
  if (subject.pods.use != workload::TpuUse::kChips && !subject.pods.row->on_each_node) return;
  if (!SpeaksOfTaint(subject.pods.pod.spec)) fixes.emplace_back(AddToleration{});
}

// A DaemonSet makes no pod for a node whose taint its template does not tolerate, so there is never
// a Pod that somebody could add the toleration to.
void CheckDaemonSet(const Subject& subject, Report& report) {
  report.Add({.pointer = subject.AtSpec("/tolerations"),
              .summary = "no toleration, so this DaemonSet has no pods",
              .problem =
                  "has none for google.com/tpu, the taint of TPU nodes. A DaemonSet makes pods "
                  "only for nodes that its template tolerates, so it makes none there, and "
                  "there is no pod that the toleration could be added to.",
              .change = "add {key: google.com/tpu, operator: Exists, effect: NoSchedule}"});
}

// A pod that stands beside the workers and selects their nodes without asking for chips, such as
// the head of a Ray cluster: nothing adds the toleration to it.
void CheckLeader(const Subject& subject, Report& report) {
  report.Add({.pointer = subject.AtSpec("/tolerations"),
              .summary = "no toleration, so this pod never gets to the TPU nodes that it selects",
              .problem =
                  "has none for google.com/tpu, the taint of TPU nodes. Nothing adds it to a pod "
                  "that asks for no chips, so this one stays Pending.",
              .change = "take the TPU selectors away if it needs no TPUs, or add {key: "
                        "google.com/tpu, operator: Exists, effect: NoSchedule}",
              .decision = "whether it belongs on TPU nodes"});
}

// chips-missing speaks of other pods without chips.
void CheckWithoutChips(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const bool may_pass =
      workload::ToleratesTpuTaint(spec) ||
      std::any_of(spec.tolerations.begin(), spec.tolerations.end(), workload::IsOpen);
  if (may_pass || subject.cluster.platform == Platform::kSelfManaged) return;
  if (subject.pods.row->on_each_node) return CheckDaemonSet(subject, report);
  if (subject.pods.row->leads) CheckLeader(subject, report);
}

void Check(const Subject& subject, Report& report) {
  if (subject.pods.use == workload::TpuUse::kSelects) return CheckWithoutChips(subject, report);
  if (SpeaksOfTaint(subject.pods.pod.spec)) return;
  if (subject.pods.row->on_each_node) return CheckDaemonSet(subject, report);
  report.Add({.pointer = subject.AtSpec("/tolerations"),
              .summary = "no toleration of the TPU taint google.com/tpu",
              .problem = "has none for google.com/tpu, the taint that keeps other pods off TPU "
                         "nodes. tpu-admission adds it to pods; so does GKE where its plugin "
                         "ExtendedResourceToleration is on.",
              .change = "add {key: google.com/tpu, operator: Exists, effect: NoSchedule}",
              .milder = Mode::kAudit});
}

}  // namespace tpu104

const Rule kTPU104 = {
    .id = "TPU104",
    .name = "toleration-missing",
    .mode = Mode::kWarn,
    .check = tpu104::Check,
    .fix = tpu104::Mend,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kSelects,
};

}  // namespace tpu_admission::rules
