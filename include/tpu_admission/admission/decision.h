// From findings to a decision: which of them deny, warn or are only recorded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/exemption.h"
#include "tpu_admission/admission/policy.h"
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
};

// What an UPDATE changed, for ratcheting.
struct Before {
  std::vector<rules::Finding> findings;  // of the old object
  bool same_pods = false;                // only counts changed, no pod template
};

// What decides beside the object itself.
struct Circumstances {
  std::string_view namespace_name;
  Day today;                                    // UTC
  std::optional<Before> before = std::nullopt;  // of an UPDATE
};

struct Decision {
  std::vector<JudgedFinding>
      findings;  // hardest first, by mode and would_be; those that are off are gone
  // About exemptions that do not count: lines of at most kWarningBytes, for kubectl to print.
  std::vector<std::string> complaints;
};

// Applies policy, parenthood, ratcheting and exemptions, in this order.
Decision Decide(std::vector<rules::Finding> findings, const workload::Workload& workload,
                const Policy& policy, const Circumstances& circumstances);

inline bool Denies(const JudgedFinding& judged) { return judged.mode == rules::Mode::kDeny; }
// It does not deny, and will once the policy's `default` is lifted.
inline bool WouldDeny(const JudgedFinding& judged) {
  return judged.would_be == rules::Mode::kDeny && !Denies(judged);
}

// The text of a denial. Its first line stands alone (events and dashboards show no other), names
// the object and the first fault, and is at most kFirstLineBytes long; after it every fault with
// place, reason and change. `docs_url`: base of links, or empty for none.
inline constexpr std::size_t kFirstLineBytes = 400;
std::string DenialMessage(const workload::Workload& workload,
                          const std::vector<JudgedFinding>& findings, std::string_view docs_url);

// A warning for kubectl to print: one line of at most kWarningBytes.
inline constexpr std::size_t kWarningBytes = 120;
std::string Warning(const rules::Finding& finding);

// One finding as it stands in a denial and in `check`: id, name, place; problem; change.
std::string Paragraph(const rules::Finding& finding);

// "<id>=deny <id>=warn", for audit annotation and log.
std::string Summary(const std::vector<JudgedFinding>& findings);

// `<id> "our zone is new"; <id> "..."`: what was ignored, for the audit annotation. Reasons are
// escaped and cut; empty if nothing was.
std::string IgnoredSummary(const std::vector<JudgedFinding>& findings);

}  // namespace tpu_admission::admission
