#include "tpu_admission/admission/repairs.h"

#include <algorithm>
#include <span>
#include <variant>

#include "admission/patch.h"
#include "tpu_admission/k8s/json_edit.h"

namespace tpu_admission::admission {
namespace {

using rules::Mode;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 5;

Mode Hardest(const JudgedFinding& judged) { return std::max(judged.mode, judged.would_be); }

bool WasWarned(const Decision& before, const rules::FaultId& fault) {
  return std::any_of(before.findings.begin(), before.findings.end(), [&](const auto& judged) {
    return Hardest(judged) >= Mode::kWarn && judged.finding.fault() == fault;
  });
}

void Add(std::vector<std::string>& pointers, const rules::Finding& finding) {
  std::string pointer(finding.pods == nullptr ? std::string_view() : finding.pods->pointer);
  if (std::find(pointers.begin(), pointers.end(), pointer) == pointers.end()) {
    pointers.push_back(std::move(pointer));
  }
}

repair::Proof ProofOf(const Judgement& judgement, const Decision& before) {
  repair::Proof proof;
  proof.unreadable = judgement.state != Judgement::State::kJudged;
  for (const JudgedFinding& judged : judgement.decision.findings) {
    const Mode mode = Hardest(judged);
    const bool bad =
        mode == Mode::kDeny || (mode == Mode::kWarn && !WasWarned(before, judged.finding.fault()));
    if (bad) Add(proof.faulty, judged.finding);
  }
  return proof;
}

bool IsForTemplates(const rules::Fix& fix) {
  return std::holds_alternative<rules::AddToleration>(fix) ||
         std::holds_alternative<rules::AddRequests>(fix) ||
         std::holds_alternative<rules::SetDnsPolicy>(fix);
}

}  // namespace

std::vector<repair::Repair> RepairsOf(const Settings& settings, const Submission& submission,
                                      const Judgement& judgement, k8s::Arena& arena) {
  if (judgement.state != Judgement::State::kJudged) return {};
  // Only what denies must go; where nothing does, what warns.
  const auto& findings = judgement.decision.findings;
  const bool denied = std::any_of(findings.begin(), findings.end(), [](const auto& judged) {
    return Hardest(judged) == Mode::kDeny;
  });
  const Mode least = denied ? Mode::kDeny : Mode::kWarn;
  std::vector<std::string> faulty;
  for (const JudgedFinding& judged : findings) {
    if (Hardest(judged) >= least) Add(faulty, judged.finding);
  }
  if (faulty.empty()) return {};
  // Where nothing is denied, a repair must take a warning away, or it is none.
  const Decision none;
  const Decision& before = denied ? judgement.decision : none;
  const repair::Prover prove = [&](k8s::JsonView object) {
    Submission edited = submission;
    edited.object = object;
    edited.before = {};
    return ProofOf(Judge(settings, edited, arena), before);
  };
  return repair::FindRepairs(settings.engine.catalog(), judgement.workload, submission.object,
                             faulty, prove, arena);
}

std::vector<TemplateFix> FixesOf(const Settings& settings, const Submission& submission,
                                 const Judgement& judgement) {
  std::vector<TemplateFix> fixes;
  if (judgement.state != Judgement::State::kJudged) return fixes;
  for (const workload::PodSet& pods : judgement.workload.pod_sets) {
    const std::string pointer(pods.pointer);
    if (pods.spec_pointer != pointer + "/spec") continue;
    workload::Workload alone = judgement.workload;
    alone.pod_sets = std::span(&pods, 1);
    const k8s::JsonView pod = k8s::At(submission.object, pointer);
    for (const rules::RuleFix& mend :
         settings.engine.Fixes(alone, settings.FixingRules(submission.namespace_name))) {
      if (!IsForTemplates(mend.fix)) continue;
      fixes.push_back({mend.rule, pointer, BuildPatch(pod, std::span(&mend.fix, 1))});
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
  char label = 'a';
  for (const repair::Repair& repair : repairs) {
    std::string line = std::string("  ") + label++ + ") " + repair.Title() + ":";
    if (aligned) line.resize(kIndent + width + 1, ' ');
    const bool fits = line.size() + 2 + repair.changes.size() <= kColumns;
    line += (fits ? "  " : "\n     ") + repair.changes;
    text += line + '\n';
  }
  return text;
}

}  // namespace tpu_admission::admission
