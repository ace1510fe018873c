#include "admission/uncovered.h"

#include <algorithm>
#include <vector>

#include "tpu_admission/k8s/json_edit.h"

namespace tpu_admission::admission {
namespace {

using rules::Finding;
using workload::Counting;

// The sets of such kinds are counted together, and which of them has the fault depends on which of
// them have chips.
bool IsCountedWithOthers(const workload::PodSet& pods) {
  return pods.scale.counting == Counting::kTogether || pods.scale.counted_by != nullptr;
}

// The fields that a fault is in: those that would mend it, where that is known.
std::vector<std::string_view> FieldsOf(const Finding& finding) {
  std::vector<std::string_view> fields;
  for (const k8s::JsonEdit& edit : finding.edits) fields.push_back(edit.pointer);
  if (fields.empty()) fields.push_back(finding.pointer);
  return fields;
}

std::set<rules::FaultId> FaultsIn(const rules::Evaluation& evaluation) {
  std::set<rules::FaultId> faults;
  for (const auto* findings : {&evaluation.findings, &evaluation.of_alternatives}) {
    for (const Finding& finding : *findings) faults.insert(finding.fault());
  }
  return faults;
}

}  // namespace

UncoveredFaults::UncoveredFaults(const Before& before, const rules::Evaluation& now)
    : before_(before) {
  if (before.evaluation == nullptr) return;
  const std::set<rules::FaultId> still = FaultsIn(now);
  for (const auto* findings : {&before.evaluation->findings, &before.evaluation->of_alternatives}) {
    for (const Finding& finding : *findings) {
      const rules::FaultId fault = finding.fault();
      if (finding.rule->mode != rules::Mode::kDeny || !before.faults.contains(fault)) continue;
      for (const std::string_view field : FieldsOf(finding)) faulty_.emplace(fault.pods, field);
      if (!still.contains(fault)) mended_.insert(fault.pods);
    }
  }
}

bool UncoveredFaults::IsMended(const workload::PodSet& pods) const {
  return mended_.contains(pods.id()) || (IsCountedWithOthers(pods) && !mended_.empty());
}

// Of sets that are counted together one has the fault of all: another than before, where a set came
// or went.
bool UncoveredFaults::HadTogether(const Finding& finding) const {
  if (!finding.rule->judges_counts || !IsCountedWithOthers(*finding.pods)) return false;
  const rules::FaultId now = finding.fault();
  return std::any_of(before_.faults.begin(), before_.faults.end(), [&](const auto& fault) {
    return fault.rule == now.rule && fault.part == now.part;
  });
}

bool UncoveredFaults::Had(const Finding& finding) const {
  if (finding.pods == nullptr) return false;
  if (HadTogether(finding)) return true;
  if (!IsMended(*finding.pods)) return false;
  const std::vector<std::string_view> fields = FieldsOf(finding);
  return std::all_of(fields.begin(), fields.end(), [&](std::string_view field) {
    return faulty_.contains({finding.pods->id(), field}) ||
           Equal(k8s::At(before_.object, field), k8s::At(before_.replaced_by, field));
  });
}

}  // namespace tpu_admission::admission
