#include "tpu_admission/admission/decision.h"

#include <algorithm>

namespace tpu_admission::admission {
namespace {

using rules::Finding;
using rules::Mode;

bool WasThere(const Finding& finding, const Before& before) {
  return std::any_of(before.findings.begin(), before.findings.end(),
                     [&](const Finding& old) { return old.SameFault(finding); });
}

// The hardest that an UPDATE may do about a finding.
Mode Ratchet(const Finding& finding, const std::optional<Before>& before) {
  if (!before) return Mode::kDeny;
  const bool only_count_changed = finding.rule->judges_counts && before->same_pods;
  return only_count_changed || WasThere(finding, *before) ? Mode::kWarn : Mode::kDeny;
}

}  // namespace

std::vector<JudgedFinding> Decide(std::vector<Finding> findings, const workload::Workload& workload,
                                  const Policy& policy, std::string_view namespace_name,
                                  const std::optional<Before>& before) {
  const bool child = workload.has_known_parent && !policy.children_may_be_denied();
  std::vector<JudgedFinding> judged;
  judged.reserve(findings.size());
  for (Finding& finding : findings) {
    Mode mode = policy.ModeOf(finding, namespace_name);
    if (child) mode = std::min(mode, Mode::kAudit);
    mode = std::min(mode, Ratchet(finding, before));
    if (mode != Mode::kOff) judged.push_back({std::move(finding), mode});
  }
  std::stable_sort(judged.begin(), judged.end(),
                   [](const auto& a, const auto& b) { return a.mode > b.mode; });
  return judged;
}

std::string Summary(const std::vector<JudgedFinding>& findings) {
  std::string summary;
  for (const JudgedFinding& judged : findings) {
    if (!summary.empty()) summary += ' ';
    summary.append(judged.finding.rule->id).append("=").append(Name(judged.mode));
  }
  return summary;
}

}  // namespace tpu_admission::admission
