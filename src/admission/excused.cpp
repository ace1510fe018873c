#include "admission/excused.h"

#include <algorithm>

#include "tpu_admission/admission/exemption.h"
#include "tpu_admission/k8s/json_edit.h"
#include "tpu_admission/workload/edits.h"

namespace tpu_admission::admission {
namespace {

// A map, or a list of them, holds more than what a finding at it is about.
bool HoldsMore(k8s::JsonView value) {
  return value.is_object() || (value.is_array() && value.Element(0).is_object());
}

}  // namespace

Excused::Excused(const Settings& settings, const Submission& submission, const Judgement& judgement,
                 const IsExcused& is_excused) {
  const workload::Workload& workload = judgement.workload;
  const std::string_view space = submission.namespace_name;
  AskedExemptions asked(workload);
  if (!is_excused && asked.empty() && !settings.policy.turns_rules_off()) return;
  const auto take = [&](const std::vector<rules::Finding>& findings) {
    for (const rules::Finding& finding : findings) {
      const bool is_off =
          settings.policy.ModesOf(finding, workload, space).mode == rules::Mode::kOff;
      const bool counts =
          is_off || (is_excused && is_excused(finding)) ||
          asked.ReasonToIgnore(finding, settings.policy, space, submission.today, false);
      if (!counts) continue;
      findings_.emplace(finding.rule, finding.pointer);
      Keep(submission.object, finding);
    }
  };
  const rules::Evaluation evaluation = settings.engine.Evaluate(workload);
  take(evaluation.findings);
  take(evaluation.of_alternatives);
}

void Excused::Keep(k8s::JsonView object, const rules::Finding& finding) {
  if (!HoldsMore(k8s::At(object, finding.pointer))) places_.push_back(finding.pointer);
  for (const k8s::JsonEdit& edit : finding.edits) places_.push_back(edit.pointer);
  if (!finding.rule->judges_counts || finding.pods == nullptr) return;
  // A count that is excused is one for this topology.
  for (const workload::NodeChoice& choice : finding.pods->nodes.choices) {
    const workload::Selected& topology = choice[workload::NodeLabel::kTopology];
    if (!topology.fixed()) continue;
    places_.push_back(PointerOf(*finding.pods, workload::NodeLabel::kTopology, topology));
  }
}

bool Excused::AreKept(k8s::JsonView object, k8s::JsonView edited) const {
  return std::all_of(places_.begin(), places_.end(), [&](const std::string& place) {
    return Equal(k8s::At(object, place), k8s::At(edited, place));
  });
}

}  // namespace tpu_admission::admission
