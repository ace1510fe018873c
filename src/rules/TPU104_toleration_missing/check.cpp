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

void Check(const Subject& subject, Report& report) {
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
};

}  // namespace tpu_admission::rules
