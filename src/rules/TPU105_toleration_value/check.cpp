#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu105 {

using workload::kTpuTaintEffect;
using workload::kTpuTaintValue;

// "value "true"", or else the effect, or the operator.
std::string WrongPart(const k8s::Toleration& toleration) {
  const bool any_value = toleration.op == "Exists";
  if (!any_value && toleration.value != kTpuTaintValue) {
    return fmt::format("value {}", Quoted(toleration.value, 24));
  }
  if (!toleration.effect.empty() && toleration.effect != kTpuTaintEffect) {
    return fmt::format("effect {}", Quoted(toleration.effect, 24));
  }
  return fmt::format("operator {}", Quoted(toleration.op, 24));
}

// So that it tolerates the taint.
workload::Edits Mended(const k8s::Toleration& toleration, const std::string& pointer) {
  constexpr std::string_view kValue = "value of the toleration";
  workload::Edits edits;
  if (!toleration.effect.empty() && toleration.effect != kTpuTaintEffect) {
    edits.push_back(
        {pointer + "/effect", std::string(kTpuTaintEffect), "effect of the toleration"});
  }
  if (toleration.op == "Exists") return edits;
  if (toleration.op.empty() || toleration.op == "Equal") {
    if (toleration.value == kTpuTaintValue) return edits;
    edits.push_back({pointer + "/value", std::string(kTpuTaintValue), kValue});
    return edits;
  }
  edits.push_back({pointer + "/operator", "Exists", "operator of the toleration"});
  if (!toleration.value.empty()) edits.push_back({pointer + "/value", std::nullopt, kValue});
  return edits;
}

// The API server takes no value beside Exists.
// https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/validation.go
void CheckExists(const Subject& subject, Report& report) {
  const std::span<const k8s::Toleration> tolerations = subject.pods.pod.spec.tolerations;
  for (std::size_t i = 0; i < tolerations.size() && !report.full(); ++i) {
    const k8s::Toleration& toleration = tolerations[i];
    if (toleration.key != workload::kTpuResource || toleration.op != "Exists") continue;
    if (toleration.value.empty() || workload::IsPlaceholder(toleration.value)) continue;
    const std::string pointer = subject.AtSpec("/tolerations", i) + "/value";
    report.Add({.pointer = pointer,
                .part = "Exists",
                .summary = "toleration of google.com/tpu has a value beside Exists",
                .problem = fmt::format(
                    "is {} beside operator Exists, which takes no value: the API "
                    "server refuses {}.",
                    Quoted(toleration.value, 24), subject.is_pod() ? "this pod" : "each pod"),
                .edits = {{pointer, std::nullopt, "value of the toleration"}}});
  }
}

void Check(const Subject& subject, Report& report) {
  CheckExists(subject, report);
  if (workload::ToleratesTpuTaint(subject.pods.pod.spec)) return;
  const std::span<const k8s::Toleration> tolerations = subject.pods.pod.spec.tolerations;
  std::optional<std::size_t> wrong;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (tolerations[i].key == workload::kTpuResource) wrong = i;
  }
  if (!wrong || workload::IsOpen(tolerations[*wrong])) return;
  std::string pointer = subject.AtSpec("/tolerations", *wrong);
  workload::Edits edits = Mended(tolerations[*wrong], pointer);
  report.Add({.pointer = std::move(pointer),
              .summary = fmt::format("toleration of google.com/tpu has {}",
                                     WrongPart(tolerations[*wrong])),
              .problem = "speaks of google.com/tpu, but does not tolerate the taint that TPU nodes "
                         "carry, google.com/tpu=present:NoSchedule. It is harmless only where GKE "
                         "adds its own.",
              .edits = std::move(edits)});
}

}  // namespace tpu105

const Rule kTPU105 = {
    .id = "TPU105",
    .name = "toleration-value",
    .mode = Mode::kWarn,
    .check = tpu105::Check,
};

}  // namespace tpu_admission::rules
