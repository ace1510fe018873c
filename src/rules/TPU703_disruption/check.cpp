#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu703 {

constexpr std::string_view kGrace = "terminationGracePeriodSeconds";
constexpr std::int64_t kDefaultGrace = 30;  // seconds, of Kubernetes

bool IsOnSpot(const k8s::PodSpec& spec) {
  const auto spot = workload::FindRequired(spec, workload::kGkeSpot);
  const auto provisioning = workload::FindRequired(spec, workload::kGkeProvisioning);
  return (spot && spot->Is("true")) || (provisioning && provisioning->Is("spot"));
}

void CheckGrace(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const std::int64_t grace = spec.Integer(kGrace).value_or(kDefaultGrace);
  if (grace == kDefaultGrace) return;
  const std::int64_t notice = subject.catalog.node_limits().spot_notice_seconds;
  const bool in_vain = grace > notice && notice > 0 && IsOnSpot(spec);
  if (!in_vain && grace > kDefaultGrace) return;
  const std::string found = Counted(grace, "second");
  report.Add(
      {.pointer = subject.AtSpec("/terminationGracePeriodSeconds"),
       .summary = in_vain ? fmt::format("grace period of {}, but a Spot VM has {}", found,
                                        Counted(notice, "second"))
                          : fmt::format("grace period of {} is short for a checkpoint", found),
       .problem =
           in_vain
               ? fmt::format("is {}, but a Spot VM ends {} after its notice.", found,
                             Counted(notice, "second"))
               : fmt::format(
                     "is {}, which is hardly enough to save a checkpoint when the node is stopped.",
                     found),
       .change = in_vain ? "save checkpoints often, and do not count on the last one"
                         : "set it to the seconds that a checkpoint takes",
       .decision = "how long a checkpoint takes"});
}

// Asked of the job, not again of each of its pods.
void CheckPriority(const Subject& subject, Report& report) {
  if (subject.pods.scale.counting != workload::Counting::kJob) return;
  if (!subject.pods.pod.spec.Text("priorityClassName").empty()) return;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice) return;
  report.Add(
      {.pointer = subject.AtSpec("/priorityClassName"),
       .summary = fmt::format("a job on {} has no priority class", Counted(slice->hosts, "host")),
       .problem = fmt::format("is not set: any pod of a higher priority may displace one of these, "
                              "and with it the work of all {}.",
                              Counted(slice->hosts, "host")),
       .change = "set priorityClassName to a class for training jobs",
       .decision = "which priority the job has"});
}

void Check(const Subject& subject, Report& report) {
  CheckGrace(subject, report);
  CheckPriority(subject, report);
}

}  // namespace tpu703

const Rule kTPU703 = {
    .id = "TPU703",
    .name = "disruption",
    .mode = Mode::kAudit,
    .check = tpu703::Check,
};

}  // namespace tpu_admission::rules
