#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu114 {

// A Pod that was bound, that a controller sent to its node, or that a kubelet made from a file.
bool IsPlaced(const Subject& subject) {
  const k8s::ObjectMeta& pod = subject.workload.metadata;
  return subject.is_pod() &&
         (pod.stored || !pod.controller_kind.empty() || pod.annotations.Has(workload::kMirrorPod));
}

void Check(const Subject& subject, Report& report) {
  const std::string_view node = subject.pods.pod.spec.node_name;
  if (node.empty() || workload::IsPlaceholder(node) || IsPlaced(subject)) return;
  const std::string name = Quoted(node);
  report.Add({.pointer = subject.AtSpec("/nodeName"),
              .summary = fmt::format("nodeName {} goes round the scheduler", name),
              .problem = fmt::format(
                  "is {}, which goes round the scheduler: nobody checks that the node exists, has "
                  "these labels and has free chips. Where it has not, the pod fails there instead "
                  "of waiting, and its replacement goes to the same node.",
                  name),
              .edits = {{subject.AtSpec("/nodeName"), std::nullopt}},
              .change = " and let the node selectors choose"});
}

}  // namespace tpu114

const Rule kTPU114 = {
    .id = "TPU114",
    .name = "node-name",
    .mode = Mode::kWarn,
    .check = tpu114::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kSelects,
};

}  // namespace tpu_admission::rules
