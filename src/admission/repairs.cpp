#include "tpu_admission/admission/repairs.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <variant>

#include "admission/excused.h"
#include "admission/patch.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/k8s/json_edit.h"

namespace tpu_admission::admission {
namespace {

using rules::Mode;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 5;

Mode Hardest(const JudgedFinding& judged) { return std::max(judged.mode, judged.would_be); }

// Nothing takes the pods while it is so.
bool KeepsPending(const rules::Rule& rule) { return rule.is_gke_check || rule.keeps_pending; }

// Whether a repair takes it away: what denies, or where nothing does, what warns and says how; and
// what it can of what GKE refuses or no node takes, for that does not run.
bool MustGo(const JudgedFinding& judged, Mode least) {
  const Mode mode = Hardest(judged);
  if (mode == Mode::kDeny) return true;
  return mode == Mode::kWarn && !judged.finding.edits.empty() &&
         (least == mode || KeepsPending(*judged.finding.rule));
}

// What was said of the fault before; nullptr: there was none.
const JudgedFinding* FindBefore(const Decision& before, const rules::FaultId& fault) {
  const auto was =
      std::find_if(before.findings.begin(), before.findings.end(),
                   [&](const auto& judged) { return judged.finding.fault() == fault; });
  return was == before.findings.end() ? nullptr : &*was;
}

repair::Fault FaultOf(const rules::Finding& finding) {
  return {.pods = std::string(finding.pods == nullptr ? std::string_view() : finding.pods->pointer),
          .edits = finding.edits,
          .needs_a_name = finding.rule->is_about_names && finding.edits.empty()};
}

repair::Proof ProofOf(Judgement judgement, const Decision& before, const Excused& excused,
                      Mode least) {
  repair::Proof proof;
  proof.unreadable = judgement.state != Judgement::State::kJudged;
  for (const JudgedFinding& judged : judgement.decision.findings) {
    if (excused.Has(judged.finding)) continue;
    const bool warns = Hardest(judged) == Mode::kWarn;
    const JudgedFinding* const was = warns ? FindBefore(before, judged.finding.fault()) : nullptr;
    const rules::Rule& rule = *judged.finding.rule;
    const bool is_new = warns && (was == nullptr || Hardest(*was) < Mode::kWarn);
    const bool is_known =
        std::any_of(proof.beside.begin(), proof.beside.end(),
                    [&](const repair::Beside& other) { return other.rule == rule.id; });
    if (warns && (rule.keeps_waiting || KeepsPending(rule)) && !is_known) {
      proof.beside.push_back({rule.id, is_new ? judged.finding.summary : std::string()});
    }
    // What was to go before and warns now is not mended, be it that nothing says how any more.
    const bool must_go = MustGo(judged, least) || (was != nullptr && MustGo(*was, least));
    proof.leaves_more = proof.leaves_more || (warns && !must_go && !judged.finding.edits.empty());
    if (!is_new && !must_go) continue;
    proof.faults.push_back(FaultOf(judged.finding));
    proof.faults.back().only_warns = !must_go;
    proof.faults.back().is_beside = !must_go && rule.keeps_waiting && judged.finding.edits.empty();
  }
  proof.workload = std::move(judgement.workload);
  return proof;
}

// Of a container, where the fix is of one.
bool WouldMend(const rules::RuleFix& mend, const rules::Finding& finding) {
  if (finding.rule != mend.rule) return false;
  const auto* const requests = std::get_if<rules::AddRequests>(&mend.fix);
  if (requests == nullptr) return true;
  const std::string container = std::string(finding.pods->spec_pointer) + "/" +
                                std::string(requests->list) + "/" + std::to_string(requests->index);
  return (finding.pointer + "/").starts_with(container + "/");
}

bool IsForTemplates(const rules::Fix& fix) {
  return std::holds_alternative<rules::AddToleration>(fix) ||
         std::holds_alternative<rules::AddRequests>(fix) ||
         std::holds_alternative<rules::SetDnsPolicy>(fix);
}

// "which topology is meant" with the rule that asks, each once, of the findings of this mode.
std::vector<std::string> DecisionsOf(const std::vector<JudgedFinding>& findings, Mode mode) {
  std::vector<std::string> decisions;
  std::vector<std::string_view> said;
  for (const JudgedFinding& judged : findings) {
    const std::string_view decision = judged.finding.decision;
    if (Hardest(judged) != mode || decision.empty()) continue;
    if (std::find(said.begin(), said.end(), decision) != said.end()) continue;
    said.push_back(decision);
    decisions.push_back(std::string(decision) + " (" + std::string(judged.finding.rule->id) + ")");
  }
  return decisions;
}

// "a", "b" for the repairs.
std::string LabelOf(std::size_t index) { return std::string(1, static_cast<char>('a' + index)); }

// "a) and c)" that are so; "Each" of several, all of which are.
template <typename IsSo>
std::string Those(const std::vector<repair::Repair>& repairs, const IsSo& is_so) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < repairs.size(); ++i) {
    if (is_so(repairs[i])) labels.push_back(LabelOf(i) + ")");
  }
  if (labels.size() > 1 && labels.size() == repairs.size()) return "Each";
  return Joined(labels, " and ");
}

// What stays beside some of the repairs: rules together, or one with the words that nothing told.
struct Remainder {
  std::string which;
  std::vector<std::string> rules;
  std::string_view words;
};

// "  a) and c) only with what RULE (worker-names) says\n", and behind that what it says, where
// nothing told it before.
std::string WhatElse(const std::vector<repair::Repair>& repairs) {
  std::map<std::string_view, std::string_view> words;  // of a rule
  for (const repair::Repair& repair : repairs) {
    for (const repair::Beside& beside : repair.beside) {
      std::string_view& of_rule = words[beside.rule];
      if (of_rule.empty()) of_rule = beside.summary;
    }
  }
  std::vector<Remainder> all;
  for (const auto& [rule, said] : words) {
    const std::string_view id = rule;
    const std::string which = Those(repairs, [&](const repair::Repair& repair) {
      return std::any_of(repair.beside.begin(), repair.beside.end(),
                         [&](const repair::Beside& beside) { return beside.rule == id; });
    });
    const std::string name = std::string(id) + " (" + std::string(rules::FindRule(id)->name) + ")";
    const auto same = std::find_if(all.begin(), all.end(), [&](const Remainder& other) {
      return other.which == which && other.words.empty();
    });
    if (said.empty() && same != all.end()) {
      same->rules.push_back(name);
    } else {
      all.push_back({which, {name}, said});
    }
  }
  std::string text;
  for (const Remainder& each : all) {
    text += "  " + each.which + " only with what " + Joined(each.rules, " and ") +
            (each.rules.size() > 1 ? " say" : " says");
    if (!each.words.empty()) text.append(": ").append(each.words);
    text += '\n';
  }
  return text;
}

// More than a person wrote; each proof would find them all again.
bool AreTooMany(const std::vector<JudgedFinding>& findings) {
  return findings.size() >= Decision::kMostFindings;
}

bool HaveManyPodSets(const std::vector<JudgedFinding>& findings) {
  std::set<const workload::PodSet*> sets;
  for (const JudgedFinding& judged : findings) sets.insert(judged.finding.pods);
  return sets.size() > repair::kMostFaultySets;
}

class Mender {
 public:
  Mender(const Settings& settings, const Submission& submission, const Judgement& judgement,
         k8s::Arena& arena, const IsExcused& is_excused)
      : settings_(settings),
        submission_(submission),
        judgement_(judgement),
        arena_(arena),
        is_excused_(is_excused),
        excused_(settings, submission, judgement, is_excused) {
    // Only what denies must go; where nothing does, what warns.
    const auto& findings = judgement.decision.findings;
    is_denied_ = std::any_of(findings.begin(), findings.end(), [&](const auto& judged) {
      return Hardest(judged) == Mode::kDeny && !excused_.Has(judged.finding);
    });
    for (const JudgedFinding& judged : findings) {
      if (!MustGo(judged, least()) || excused_.Has(judged.finding)) continue;
      written_.faults.push_back(FaultOf(judged.finding));
    }
    written_.workload = judgement.workload;
  }

  std::vector<repair::Repair> Repairs(std::size_t most) const {
    if (written_.faults.empty()) return {};
    const repair::Prover prove = [&](k8s::JsonView object) {
      repair::Proof proof = ProofOf(Judged(object), judgement_.decision, excused_, least());
      if (!excused_.AreKept(submission_.object, object))
        proof.unreadable = true;  // it is no repair
      return proof;
    };
    return repair::FindRepairs(settings_.engine.catalog(), submission_.object, written_,
                               is_denied_ ? repair::Reach::kAnyShape : repair::Reach::kAsSaid,
                               prove, arena_, most);
  }

  // What denies is mended, and what then warns and says how is mended next: whoever mends a file
  // twice wants both, so each is told as one. False if none is changed.
  bool MendAllOf(std::vector<repair::Repair>& repairs) const {
    bool is_changed = false;
    for (repair::Repair& repair : repairs) {
      if (repair.leaves_more) is_changed = MendAllOf(repair) || is_changed;
    }
    return is_changed;
  }

 private:
  static constexpr std::size_t kMostOfTheRest = repair::kMostCandidates / 4;

  Mode least() const { return is_denied_ ? Mode::kDeny : Mode::kWarn; }

  Submission Edited(k8s::JsonView object) const {
    Submission edited = submission_;
    edited.object = object;
    edited.before = {};
    return edited;
  }
  Judgement Judged(k8s::JsonView object) const { return Judge(settings_, Edited(object), arena_); }

  bool MendAllOf(repair::Repair& repair) const {
    const k8s::JsonView object = k8s::Edited(submission_.object, repair.edits, arena_);
    const Submission edited = Edited(object);
    const Judgement judgement = Judge(settings_, edited, arena_);
    const Mender rest(settings_, edited, judgement, arena_, is_excused_);
    if (judgement.state != Judgement::State::kJudged || rest.is_denied_) return false;
    const std::vector<repair::Repair> more = rest.Repairs(kMostOfTheRest);
    if (more.empty()) return false;
    const k8s::JsonView mended = k8s::Edited(object, more.front().edits, arena_);
    if (!excused_.AreKept(submission_.object, mended)) return false;
    repair::Proof written = written_;
    written.faults.insert(written.faults.end(), rest.written_.faults.begin(),
                          rest.written_.faults.end());
    repair::Proof both;
    both.workload = Judged(mended).workload;
    repair = repair::Both(settings_.engine.catalog(), written, repair, more.front(), both);
    return true;
  }

  const Settings& settings_;
  const Submission& submission_;
  const Judgement& judgement_;
  k8s::Arena& arena_;
  const IsExcused& is_excused_;
  const Excused excused_;
  bool is_denied_ = false;
  repair::Proof written_;
};

}  // namespace

std::vector<repair::Repair> RepairsOf(const Settings& settings, const Submission& submission,
                                      const Judgement& judgement, k8s::Arena& arena,
                                      const IsExcused& is_excused) {
  if (judgement.state != Judgement::State::kJudged || AreTooMany(judgement.decision.findings))
    return {};
  const Mender mender(settings, submission, judgement, arena, is_excused);
  std::vector<repair::Repair> repairs = mender.Repairs(repair::kMostCandidates);
  if (!mender.MendAllOf(repairs)) return repairs;
  std::vector<repair::Repair> all;
  for (repair::Repair& repair : repairs) {
    const bool is_known = std::any_of(
        all.begin(), all.end(), [&](const auto& other) { return repair::Includes(repair, other); });
    if (!is_known) all.push_back(std::move(repair));
  }
  std::stable_partition(all.begin(), all.end(), [](const repair::Repair& repair) {
    return repair.chips_before == repair.chips_after;
  });
  return all;
}

std::vector<TemplateFix> FixesOf(const Settings& settings, const Submission& submission,
                                 const Judgement& judgement, const IsExcused& is_excused) {
  std::vector<TemplateFix> fixes;
  if (judgement.state != Judgement::State::kJudged) return fixes;
  std::vector<rules::Finding> excused;
  if (is_excused) {
    excused = settings.engine.Evaluate(judgement.workload).findings;
    std::erase_if(excused, [&](const auto& finding) { return !is_excused(finding); });
  }
  for (const workload::PodSet& pods : judgement.workload.pod_sets) {
    const std::string pointer(pods.pointer);
    if (pods.spec_pointer != pointer + "/spec") continue;
    workload::Workload alone = judgement.workload;
    alone.pod_sets = std::span(&pods, 1);
    const k8s::JsonView pod = k8s::At(submission.object, pointer);
    for (const rules::RuleFix& mend :
         settings.engine.Fixes(alone, settings.FixingRules(submission.namespace_name))) {
      if (!IsForTemplates(mend.fix)) continue;
      const bool is_kept = std::any_of(excused.begin(), excused.end(), [&](const auto& finding) {
        return finding.pods == &pods && WouldMend(mend, finding);
      });
      if (is_kept) continue;
      fixes.push_back({mend.rule, pointer, BuildPatch(pod, std::span(&mend.fix, 1)),
                       std::holds_alternative<rules::AddRequests>(mend.fix)});
    }
  }
  return fixes;
}

std::string WhatWouldRun(const std::vector<repair::Repair>& repairs) {
  if (repairs.empty()) return "";
  std::size_t width = 0;
  for (const repair::Repair& repair : repairs) width = std::max(width, repair.Title().size());
  const bool aligned = std::all_of(repairs.begin(), repairs.end(), [&](const auto& repair) {
    return kIndent + width + 3 + repair.changes.size() <= kColumns;
  });
  std::string text = "What would run:\n";
  for (std::size_t i = 0; i < repairs.size(); ++i) {
    std::string line = "  " + LabelOf(i) + ") " + repairs[i].Title() + ":";
    if (aligned) line.resize(kIndent + width + 1, ' ');
    const bool fits = line.size() + 2 + repairs[i].changes.size() <= kColumns;
    line += (fits ? "  " : "\n     ") + repairs[i].changes;
    text += line + '\n';
  }
  return text + WhatElse(repairs);
}

std::string WhyNoRepair(const std::vector<JudgedFinding>& findings) {
  std::vector<std::string> decisions = DecisionsOf(findings, Mode::kDeny);
  // Beside a misspelt accelerator, the faults of what it was meant to be warn.
  if (decisions.empty()) decisions = DecisionsOf(findings, Mode::kWarn);
  if (decisions.empty()) {
    if (HaveManyPodSets(findings)) {
      return "No repair is shown: too many pod sets have faults to try other shapes for all.\n";
    }
    return AreTooMany(findings)
               ? "No repair is shown: there are too many faults to try any.\n"
               : "No repair is shown: no shape near this one was found without a fault.\n";
  }
  std::string text = "No repair is shown: only you can say " + decisions.front();
  for (std::size_t i = 1; i < decisions.size(); ++i) {
    text += (i + 1 == decisions.size() ? " and " : ", ") + decisions[i];
  }
  return text + ".\n";
}

}  // namespace tpu_admission::admission
