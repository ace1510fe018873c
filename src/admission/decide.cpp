#include "admission/decide.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "admission/renaming.h"
#include "admission/uncovered.h"
#include "tpu_admission/admission/exemption.h"

namespace tpu_admission::admission {
namespace {

using rules::Finding;
using rules::Mode;
using workload::PodSet;
using Findings = std::span<const Finding>;

// Cuts `findings` where `member` changes.
template <typename T>
std::vector<Findings> SplitBy(T Finding::*member, Findings findings) {
  std::vector<Findings> parts;
  while (!findings.empty()) {
    const auto end = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.*member != findings.front().*member;
    });
    parts.push_back(findings.first(std::size_t(end - findings.begin())));
    findings = findings.subspan(parts.back().size());
  }
  return parts;
}

// What the policy alone makes of findings.
struct Verdicts {
  const workload::Workload& workload;
  const Policy& policy;
  std::string_view namespace_name;

  PolicyModes Of(const Finding& finding) const {
    return policy.ModesOf(finding, workload, namespace_name);
  }
  bool IsDenial(const Finding& finding) const { return Of(finding).would_be == Mode::kDeny; }
  std::ptrdiff_t DenialsIn(Findings findings) const {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const Finding& finding) { return IsDenial(finding); });
  }
  // The alternatives of one pod set, if each has a fault that denies; else none.
  std::vector<Findings> Impossible(Findings findings) const {
    std::vector<Findings> alternatives = SplitBy(&Finding::alternative, findings);
    if (alternatives.size() < findings.front().pods->nodes.choices.size()) return {};
    const bool all = std::all_of(alternatives.begin(), alternatives.end(),
                                 [&](Findings each) { return DenialsIn(each) > 0; });
    return all ? alternatives : std::vector<Findings>();
  }
};

class Decider {
 public:
  // `evaluation` is only looked at.
  Decider(const Verdicts& verdicts, const Circumstances& circumstances,
          const rules::Evaluation& evaluation)
      : verdicts_(verdicts),
        today_(circumstances.today),
        before_(circumstances.before),
        speaks_for_owner_(circumstances.speaks_for_owner),
        asked_(verdicts.workload) {
    if (before_ != nullptr) uncovered_.emplace(*before_, evaluation);
  }

  void Tell(Finding finding) { Tell(std::move(finding), Mode::kDeny, Mode::kDeny); }

  // `findings` of the alternatives of one pod set are told only if none of these is without a fault
  // that denies.
  void TellIfImpossible(Findings findings) {
    const std::vector<Findings> alternatives = verdicts_.Impossible(findings);
    if (alternatives.empty() || IsDenied(findings.front().pods)) return;
    // It is as bad as the alternative that gets off best.
    Mode mode = Mode::kDeny;
    Mode would_be = Mode::kDeny;
    Findings promising;
    for (const Findings alternative : alternatives) {
      const PolicyModes hardest = HardestOf(alternative);
      mode = std::min(mode, hardest.mode);
      would_be = std::min(would_be, hardest.would_be);
      if (promising.empty() || verdicts_.DenialsIn(alternative) < verdicts_.DenialsIn(promising)) {
        promising = alternative;
      }
    }
    for (Finding finding : promising) {
      if (!verdicts_.IsDenial(finding)) continue;
      finding.problem += " The other alternatives of the node selection cannot run either.";
      Tell(std::move(finding), mode, would_be);
    }
  }

  Decision Finish() && {
    if (!is_child()) decision_.complaints = asked_.TakeComplaints();
    std::stable_sort(decision_.findings.begin(), decision_.findings.end(),
                     [](const JudgedFinding& a, const JudgedFinding& b) {
                       return std::pair(a.mode, a.would_be) > std::pair(b.mode, b.would_be);
                     });
    if (decision_.findings.size() > Decision::kMostOfARule) Bound();
    return std::move(decision_);
  }

 private:
  bool is_child() const {
    return verdicts_.workload.has_known_parent && !speaks_for_owner_ &&
           !verdicts_.policy.children_may_be_denied();
  }

  bool IsDenied(const PodSet* pods) const {
    return std::any_of(decision_.findings.begin(), decision_.findings.end(),
                       [&](const JudgedFinding& judged) {
                         return judged.finding.pods == pods && judged.would_be == Mode::kDeny;
                       });
  }
  PolicyModes HardestOf(Findings findings) {
    PolicyModes hardest;
    for (const Finding& finding : findings) {
      const JudgedFinding judged = Judged(finding);
      hardest.mode = std::max(hardest.mode, judged.mode);
      hardest.would_be = std::max(hardest.would_be, judged.would_be);
    }
    return hardest;
  }

  // The hardest that may be done about it, whatever the policy says.
  Mode Cap(const Finding& finding) {
    if (is_child()) return Mode::kAudit;
    if (before_ == nullptr) return Mode::kDeny;
    // Of the old object some faults were left out, and nobody knows which.
    const bool is_unknown = before_->evaluation != nullptr && before_->evaluation->is_cut;
    const bool excused = before_->only_releases || is_unknown ||
                         (finding.rule->judges_counts && before_->same_pods) ||
                         before_->faults.contains(finding.fault()) || WasRenamed(finding) ||
                         uncovered_->Had(finding);
    return excused ? Mode::kWarn : Mode::kDeny;
  }

  // Faults are rarely new, and names rarely change.
  bool WasRenamed(const Finding& finding) {
    if (before_->workload == nullptr) return false;
    if (!renamed_) renamed_.emplace(before_->faults, *before_->workload, verdicts_.workload);
    return renamed_->Had(finding);
  }

  // All but the finding itself.
  JudgedFinding Judged(const Finding& finding) {
    const PolicyModes modes = verdicts_.Of(finding);
    const Mode cap = Cap(finding);
    JudgedFinding judged;
    judged.mode = std::min(modes.mode, cap);
    judged.would_be = std::min(modes.would_be, cap);
    if (judged.mode == Mode::kOff || judged.would_be <= Mode::kAudit) return judged;
    judged.peer_sentence = verdicts_.policy.profile().SentenceFor(finding, verdicts_.workload);
    const bool heard = judged.mode > Mode::kAudit;
    if (const auto reason = asked_.ReasonToIgnore(finding, verdicts_.policy,
                                                  verdicts_.namespace_name, today_, heard)) {
      judged.mode = judged.would_be = Mode::kAudit;
      judged.ignored_because = *reason;
    }
    return judged;
  }

  void Tell(Finding finding, Mode mode, Mode would_be) {
    JudgedFinding judged = Judged(finding);
    judged.mode = std::min(judged.mode, mode);
    judged.would_be = std::min(judged.would_be, would_be);
    if (judged.mode == Mode::kOff) return;
    judged.finding = std::move(finding);
    decision_.findings.push_back(std::move(judged));
  }

  // Keeps the hardest findings of each rule and pod set, and counts the rest.
  void Bound() {
    struct Told {
      std::size_t count = 0;
      std::size_t last = 0;
    };
    std::map<std::pair<const rules::Rule*, const PodSet*>, Told> all;
    std::vector<JudgedFinding> kept;
    for (JudgedFinding& judged : decision_.findings) {
      Told& told = all[{judged.finding.rule, judged.finding.pods}];
      if (told.count < Decision::kMostOfARule && kept.size() < Decision::kMostFindings) {
        told = {told.count + 1, kept.size()};
        kept.push_back(std::move(judged));
      } else if (told.count > 0) {
        ++kept[told.last].more;
      } else {
        ++decision_.untold;
      }
    }
    decision_.findings = std::move(kept);
  }

  const Verdicts& verdicts_;
  const Day today_;
  const Before* before_;
  const bool speaks_for_owner_;
  std::optional<RenamedFaults> renamed_;
  std::optional<UncoveredFaults> uncovered_;
  AskedExemptions asked_;
  Decision decision_;
};

}  // namespace

Decision Decide(rules::Evaluation evaluation, const workload::Workload& workload,
                const Policy& policy, const Circumstances& circumstances) {
  const Verdicts verdicts{workload, policy, circumstances.namespace_name};
  Decider decider(verdicts, circumstances, evaluation);
  for (Finding& finding : evaluation.findings) decider.Tell(std::move(finding));
  for (const Findings of_pod_set : SplitBy(&Finding::pods, evaluation.of_alternatives)) {
    decider.TellIfImpossible(of_pod_set);
  }
  Decision decision = std::move(decider).Finish();
  if (evaluation.is_cut)
    decision.complaints.emplace_back("not checked for all TPU faults: too many");
  return decision;
}

std::set<rules::FaultId> FaultsOf(const rules::Evaluation& evaluation,
                                  const workload::Workload& workload, const Policy& policy,
                                  std::string_view namespace_name) {
  const Verdicts verdicts{workload, policy, namespace_name};
  std::set<rules::FaultId> faults;
  for (const Finding& finding : evaluation.findings) faults.insert(finding.fault());
  for (const Finding& finding : evaluation.told_by_others) faults.insert(finding.fault());
  for (const Findings of_pod_set : SplitBy(&Finding::pods, evaluation.of_alternatives)) {
    if (verdicts.Impossible(of_pod_set).empty()) continue;
    for (const Finding& finding : of_pod_set) faults.insert(finding.fault());
  }
  return faults;
}

}  // namespace tpu_admission::admission
