#include <fmt/core.h>

#include "rules/engine/misspelt_key.h"
#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu117 {

using workload::NodeLabel;

bool IsInAffinity(const MisspeltKey& misspelt) {
  return misspelt.place.term != workload::Selected::kInNodeSelector;
}

// Another term may be for the nodes that the pods get.
bool IsInOneOfSeveral(const Subject& subject, const MisspeltKey& misspelt) {
  return IsInAffinity(misspelt) && subject.pods.pod.spec.required_affinity.size() > 1;
}

std::string Problem(const Subject& subject, const MisspeltKey& misspelt) {
  const std::string_view key = misspelt.place.key;
  const std::string_view unless = !misspelt.label ? " unless your node pools have this label"
                                  : IsOfGke(key)  ? ""
                                                  : " unless your node pools have this label too";
  if (IsInOneOfSeveral(subject, misspelt)) {
    return fmt::format(
        "is no label of GKE's nodes; {} is. No node has all labels of this term of the affinity{}.",
        misspelt.right, unless);
  }
  return fmt::format(
      "is no label of GKE's nodes; {} is. A pod goes only to nodes that have all labels of its "
      "{}, so it stays Pending{}.",
      misspelt.right, IsInAffinity(misspelt) ? "required affinity" : "nodeSelector", unless);
}

std::optional<Mode> ModeOf(const Subject& subject, const MisspeltKey& misspelt) {
  if (!misspelt.label || *misspelt.label == NodeLabel::kAcceleratorCount) return Mode::kWarn;
  const bool asks = subject.pods.use != workload::TpuUse::kSelects;
  const bool may_be_own = !IsOfGke(misspelt.place.key) &&
                          (!misspelt.place.fixed || workload::IsPlaceholder(misspelt.place.value));
  const bool must = subject.Misses(*misspelt.label) && asks && !may_be_own &&
                    !IsInOneOfSeveral(subject, misspelt);
  return must ? subject.MissingSelectorMode() : std::optional(Mode::kWarn);
}

void Check(const Subject& subject, Report& report) {
  for (const MisspeltKey& misspelt : MisspeltKeys(subject)) {
    Finding finding = {
        .pointer = subject.At(misspelt.place),
        .part = std::string(misspelt.place.key),
        .summary = fmt::format("{} is no label of GKE's nodes", Printable(misspelt.place.key)),
        .problem = Problem(subject, misspelt),
        .edits = Respelt(subject, misspelt),
        .milder = ModeOf(subject, misspelt)};
    if (finding.edits.empty()) {
      finding.change = fmt::format("remove it, for {} stands beside it", misspelt.right);
      finding.decision = "which nodes are meant";
    }
    report.Add(std::move(finding));
  }
}

}  // namespace tpu117

const Rule kTPU117 = {
    .id = "TPU117",
    .name = "label-misspelt",
    .mode = Mode::kDeny,
    .check = tpu117::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kSelects,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
