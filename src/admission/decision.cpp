#include "tpu_admission/admission/decision.h"

#include <algorithm>

#include "tpu_admission/base/text.h"

namespace tpu_admission::admission {
namespace {

constexpr std::size_t kReasonBytes = 200;  // of a reason in the audit annotation

// What `entry` says of the findings, joined; empty strings are left out.
template <typename Say>
std::string Joined(const std::vector<JudgedFinding>& findings, std::string_view separator,
                   Say entry) {
  std::string text;
  std::size_t more = 0;
  for (const JudgedFinding& judged : findings) {
    const std::string next = entry(judged);
    if (next.empty()) continue;
    if (more > 0 || text.size() + separator.size() + next.size() > kAuditBytes) {
      ++more;
    } else {
      if (!text.empty()) text += separator;
      text += next;
    }
  }
  if (more > 0) text += " and " + std::to_string(more) + " more";
  return text;
}

// The same without what stands there already.
template <typename Say>
std::string JoinedOnce(const std::vector<JudgedFinding>& findings, std::string_view separator,
                       Say entry) {
  std::vector<std::string> seen;
  return Joined(findings, separator, [&](const JudgedFinding& judged) {
    std::string next = entry(judged);
    if (next.empty() || std::find(seen.begin(), seen.end(), next) != seen.end())
      return std::string();
    return seen.emplace_back(std::move(next));
  });
}

// "<id>=deny(and 2 more)"
std::string Entry(const JudgedFinding& judged) {
  std::string entry = std::string(judged.finding.rule->id).append("=").append(Name(judged.mode));
  if (judged.more > 0) entry += "(and " + std::to_string(judged.more) + " more)";
  return entry;
}

bool IsSkipped(const JudgedFinding& judged) {
  const rules::Finding& finding = judged.finding;
  return judged.would_be == rules::Mode::kAudit && finding.rule->is_gke_check &&
         finding.pods != nullptr && finding.pods->skips_checks;
}

}  // namespace

std::string Summary(const std::vector<JudgedFinding>& findings) {
  return Joined(findings, " ", Entry);
}

std::string PatchedSummary(const std::vector<JudgedFinding>& fixed) {
  return Joined(fixed, " ", [&](const JudgedFinding& judged) {
    const auto first = std::find_if(fixed.begin(), fixed.end(), [&](const JudgedFinding& other) {
      return other.finding.rule == judged.finding.rule;
    });
    return &*first == &judged ? Entry(judged) : std::string();
  });
}

std::string WouldDenySummary(const std::vector<JudgedFinding>& findings) {
  return JoinedOnce(findings, " ", [](const JudgedFinding& judged) {
    return WouldDeny(judged) ? std::string(judged.finding.rule->id) : std::string();
  });
}

std::string IgnoredSummary(const std::vector<JudgedFinding>& findings) {
  return JoinedOnce(findings, "; ", [](const JudgedFinding& judged) {
    if (judged.ignored_because.empty()) return std::string();
    return std::string(judged.finding.rule->id) + " " +
           Quoted(judged.ignored_because, kReasonBytes);
  });
}

std::string SkippedSummary(const std::vector<JudgedFinding>& findings) {
  return JoinedOnce(findings, " ", [](const JudgedFinding& judged) {
    return IsSkipped(judged) ? std::string(judged.finding.rule->id) : std::string();
  });
}

}  // namespace tpu_admission::admission
