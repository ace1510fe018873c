#include "observability/finding_counters.h"

#include <string>

#include "tpu_admission/rules/rule.h"

namespace tpu_admission::observability {
namespace {

using rules::Mode;

std::size_t Index(Mode mode) { return static_cast<std::size_t>(mode); }

}  // namespace

FindingCounters::FindingCounters(Families& families) {
  auto& findings =
      families.Counters("tpu_admission_findings_total",
                        "Findings by rule, by what became of them, and by what would have without "
                        "the default of the policy.");
  auto& ignored = families.Counters(
      "tpu_admission_findings_ignored_total",
      "Findings that are only recorded because their author asked to ignore them.");
  auto& fixes = families.Counters("tpu_admission_fixes_total", "What was mended in Pods, by rule.");
  for (const rules::Rule* rule : rules::AllRules()) {
    const std::string id(rule->id);
    OfRule& of_rule = rules_.emplace_back();
    of_rule.ignored = &ignored.Add({{"rule", id}});
    if (rule->fix != nullptr) of_rule.fixed = &fixes.Add({{"rule", id}});
    for (const Mode mode : {Mode::kAudit, Mode::kWarn, Mode::kDeny}) {
      for (const Mode would_be : {Mode::kAudit, Mode::kWarn, Mode::kDeny}) {
        if (would_be < mode) continue;
        of_rule.by_modes[Index(mode)][Index(would_be)] =
            &findings.Add({{"rule", id},
                           {"mode", std::string(Name(mode))},
                           {"would_be", std::string(Name(would_be))}});
      }
    }
  }
}

void FindingCounters::Count(const admission::JudgedFinding& judged) {
  const OfRule& rule = rules_[IndexOf(*judged.finding.rule)];
  rule.by_modes[Index(judged.mode)][Index(judged.would_be)]->Increment();
  if (!judged.ignored_because.empty()) rule.ignored->Increment();
}

void FindingCounters::CountFix(const rules::Rule& rule) {
  rules_[IndexOf(rule)].fixed->Increment();
}

}  // namespace tpu_admission::observability
