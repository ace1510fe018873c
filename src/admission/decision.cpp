#include "tpu_admission/admission/decision.h"

#include <algorithm>

#include "tpu_admission/base/text.h"

namespace tpu_admission::admission {
namespace {

using rules::Finding;
using rules::Mode;

constexpr std::size_t kReasonBytes = 200;  // of a reason in the audit annotation

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

void Excuse(JudgedFinding& judged, std::optional<std::string_view> reason) {
  if (!reason) return;
  judged.mode = judged.would_be = Mode::kAudit;
  judged.ignored_because = *reason;
}

}  // namespace

Decision Decide(std::vector<Finding> findings, const workload::Workload& workload,
                const Policy& policy, const Circumstances& circumstances) {
  const bool child = workload.has_known_parent && !policy.children_may_be_denied();
  const std::string_view namespace_name = circumstances.namespace_name;
  AskedExemptions asked(workload);
  Decision decision;
  decision.findings.reserve(findings.size());
  for (Finding& finding : findings) {
    const PolicyModes modes = policy.ModesOf(finding, workload, namespace_name);
    if (modes.mode == Mode::kOff) continue;
    const Mode at_most =
        std::min(child ? Mode::kAudit : Mode::kDeny, Ratchet(finding, circumstances.before));
    JudgedFinding judged;
    judged.mode = std::min(modes.mode, at_most);
    judged.would_be = std::min(modes.would_be, at_most);
    if (judged.would_be > Mode::kAudit) {
      judged.peer_sentence = policy.profile().SentenceFor(finding, workload);
      const bool heard = judged.mode > Mode::kAudit;
      Excuse(judged,
             asked.ReasonToIgnore(finding, policy, namespace_name, circumstances.today, heard));
    }
    judged.finding = std::move(finding);
    decision.findings.push_back(std::move(judged));
  }
  if (!child) decision.complaints = asked.TakeComplaints();
  std::stable_sort(decision.findings.begin(), decision.findings.end(),
                   [](const JudgedFinding& a, const JudgedFinding& b) {
                     return std::pair(a.mode, a.would_be) > std::pair(b.mode, b.would_be);
                   });
  return decision;
}

std::string Summary(const std::vector<JudgedFinding>& findings) {
  std::string summary;
  for (const JudgedFinding& judged : findings) {
    if (!summary.empty()) summary += ' ';
    summary.append(judged.finding.rule->id).append("=").append(Name(judged.mode));
  }
  return summary;
}

std::string IgnoredSummary(const std::vector<JudgedFinding>& findings) {
  std::vector<std::string> entries;
  for (const JudgedFinding& judged : findings) {
    if (judged.ignored_because.empty()) continue;
    std::string entry =
        std::string(judged.finding.rule->id) + " " + Quoted(judged.ignored_because, kReasonBytes);
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) {
      entries.push_back(std::move(entry));
    }
  }
  std::string summary;
  for (const std::string& entry : entries) summary += (summary.empty() ? "" : "; ") + entry;
  return summary;
}

}  // namespace tpu_admission::admission
