// A decision: which findings deny, warn or are only recorded; and how it is told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/k8s/json.h"
#include "tpu_admission/repair/repair.h"
#include "tpu_admission/rules/finding.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::admission {

struct JudgedFinding {
  rules::Finding finding;
  rules::Mode mode = rules::Mode::kOff;
  // What `mode` would be if no section of the policy had a `default`, which is how a rollout is
  // staged: the same profile, named modes, parents, UPDATE and exemptions. Never milder than
  // `mode`; under `default: audit` the only trace of a fault that is going to deny.
  rules::Mode would_be = rules::Mode::kOff;
  // Why the author asked to ignore it, if that counts: it is only recorded then. A view of the
  // object; text of a user.
  std::string_view ignored_because = {};
  // What another webhook would have said (profile kuberay-compat), or empty. A view of the policy.
  std::string_view peer_sentence = {};
  std::size_t more = 0;  // findings of this rule and pod set that are counted here, and not told
};

struct Decision {
  // Hardest first, by mode and would_be; those that are off are gone. Of one rule and pod set at
  // most kMostOfARule, at most kMostFindings in all.
  static constexpr std::size_t kMostOfARule = 20;
  static constexpr std::size_t kMostFindings = 200;
  std::vector<JudgedFinding> findings;
  std::size_t untold = 0;  // findings beyond kMostFindings, and not in any `more`
  // About exemptions that do not count, and about faults that were not looked for: lines of at most
  // kWarningBytes, for kubectl to print.
  std::vector<std::string> complaints;
};

inline bool Denies(const JudgedFinding& judged) { return judged.mode == rules::Mode::kDeny; }
// It does not deny, and will once the policy's `default` is lifted.
inline bool WouldDeny(const JudgedFinding& judged) {
  return judged.would_be == rules::Mode::kDeny && !Denies(judged);
}

// The text of a denial. Its first line stands alone (events and dashboards show no other), names
// the object and the first fault, and is at most kFirstLineBytes long; after it every fault with
// place, reason and change; then what would run. Where there are repairs, changes stand only beside
// a fault that is alone. `docs_url`: base of links, or empty for none.
inline constexpr std::size_t kFirstLineBytes = 400;
std::string DenialMessage(const workload::Workload& workload,
                          const std::vector<JudgedFinding>& findings,
                          const std::vector<repair::Repair>& repairs, std::string_view docs_url);

// A warning for kubectl to print: one line of at most kWarningBytes. `more`: as in JudgedFinding.
inline constexpr std::size_t kWarningBytes = 120;
std::string Warning(const rules::Finding& finding, std::size_t more = 0);

// One finding as it stands in a denial and in `check`: id, name, place; problem; change.
std::string Paragraph(const rules::Finding& finding, std::size_t more = 0);

// A finding with all that is told of it: it outlives the object and the judgement.
struct ToldFinding {
  const rules::Rule* rule = nullptr;
  rules::Mode mode = rules::Mode::kOff;
  rules::Mode would_be = rules::Mode::kOff;  // as in JudgedFinding
  std::string pointer;                       // JSON pointer in the document
  std::string container;
  std::string summary;
  std::string problem;
  std::string change;
  std::string edits = "[]";   // JSON text, as k8s::AsChanges() writes it
  std::string_view decision;  // as in rules::Finding
  // As in a denial, without the change; ends its line. Empty for what is only recorded (audit),
  // which no text tells: nearly every object has such findings.
  std::string paragraph;
  std::size_t more = 0;  // of this rule and pod set, that are counted here, and not told

  bool has_edits() const { return edits != "[]"; }
};
// `document`: what the object was read from, as a part of it at `pointer`.
ToldFinding Told(const JudgedFinding& judged, k8s::JsonView document, const std::string& pointer);

// The values of audit annotations: entries that fit into kAuditBytes, then "and 7 more"; empty if
// there is none.
inline constexpr std::size_t kAuditBytes = 2048;
// "<id>=deny <id>=warn".
std::string Summary(const std::vector<JudgedFinding>& findings);
// The same of fixes, of which one rule may have several: each once.
std::string PatchedSummary(const std::vector<JudgedFinding>& fixed);
// What would deny if the policy had no `default`: "<id> <id>".
std::string WouldDenySummary(const std::vector<JudgedFinding>& findings);
// `<id> "our zone is new"; <id> "..."`: what was ignored. Reasons are escaped and cut.
std::string IgnoredSummary(const std::vector<JudgedFinding>& findings);
// What is only recorded because the object asks to skip GKE's own check: "<id> <id>".
std::string SkippedSummary(const std::vector<JudgedFinding>& findings);

}  // namespace tpu_admission::admission
