#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu704 {

void Check(const Subject& subject, Report& report) {
  if (subject.workload.managed_elsewhere) return;
  const auto label = workload::FindRequired(subject.pods.pod.spec, workload::kGkeExtendedDuration);
  if (!label) return;
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  if (autopilot && (!label->fixed || k8s::Quantity::Parse(label->value))) return;
  workload::Edits edits = autopilot ? workload::Edits() : Without(subject, *label);
  const std::string words =
      edits.empty() ? fmt::format("leave {} out", workload::kGkeExtendedDuration) : "";
  report.Add(
      {.pointer = subject.At(*label),
       .summary = autopilot ? fmt::format("extended-duration-pods is {}, which is no amount of CPU",
                                          Quoted(label->value))
                            : "extended-duration pods are only available on GKE Autopilot",
       .problem = autopilot ? fmt::format("is {}, but GKE reads an amount of CPU here.",
                                          Quoted(label->value))
                            : "asks for a node of Autopilot's extended-duration pods, but this "
                              "cluster is a Standard one (--cluster-mode): no node has the "
                              "label.",
       .edits = std::move(edits),
       .change = autopilot ? "set it to the CPU of the pod, or leave it out" : words,
       .decision = autopilot ? Constant("how much CPU the pod needs")
                             : Constant("what the affinity is to name")});
}

}  // namespace tpu704

const Rule kTPU704 = {
    .id = "TPU704",
    .name = "extended-duration",
    .mode = Mode::kWarn,
    .check = tpu704::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
