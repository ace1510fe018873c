// The texts that users read.
#include <algorithm>
#include <span>

#include "tpu_admission/admission/decision.h"
#include "tpu_admission/admission/repairs.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/rules/readme.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::admission {
namespace {

using rules::Finding;

constexpr std::size_t kMaxParagraphs = 20;
constexpr std::size_t kEnoughBytes = 16 * 1024;  // of paragraphs: after that no other begins
constexpr std::size_t kSentenceBytes = 2048;     // of a problem or a change

std::size_t Count(std::span<const JudgedFinding> findings) {
  std::size_t count = findings.size();
  for (const JudgedFinding& judged : findings) count += judged.more;
  return count;
}

// "(<id>; 1 more fault below)."
std::string Reference(const Finding& first, std::size_t faults) {
  std::string text = " (" + std::string(first.rule->id);
  if (faults > 1) {
    text += "; " + std::to_string(faults - 1) + " more fault" + (faults > 2 ? "s" : "") + " below";
  }
  return text + ").";
}

// What another webhook would have said, first: programs look for it.
std::string PeerSentence(std::span<const JudgedFinding> faults) {
  for (const JudgedFinding& fault : faults) {
    if (!fault.peer_sentence.empty()) return std::string(fault.peer_sentence) + ": ";
  }
  return "";
}

std::string FirstLine(const workload::Workload& workload, std::span<const JudgedFinding> faults) {
  const Finding& first = faults.front().finding;
  const std::string reference = Reference(first, Count(faults));
  const std::string text =
      PeerSentence(faults) + Title(workload) + " cannot run on TPUs as written: " + first.summary;
  return Cut(text, kFirstLineBytes - reference.size()) + reference;
}

// `<id> chips-per-host   spec.template.spec.containers[0] "jax"`
std::string Heading(const Finding& finding) {
  std::string heading = std::string(finding.rule->id) + " " + std::string(finding.rule->name) +
                        "   " + FieldPath(finding.pointer);
  const std::string& name = finding.container.empty() ? finding.part : finding.container;
  if (!name.empty()) heading += " " + Quoted(name);
  return heading;
}

std::string ParagraphWithChange(const Finding& finding, const std::string& change,
                                std::size_t more) {
  std::string text = Heading(finding) + "\n  " + Cut(finding.problem, kSentenceBytes) + "\n";
  if (!change.empty()) text += "  -> " + Cut(change, kSentenceBytes) + "\n";
  if (more > 0) text += "  (and " + std::to_string(more) + " more like this)\n";
  return text;
}

// The same sentence about another field is another change.
bool IsOneChange(const Finding& a, const Finding& b) {
  if (a.edits != b.edits) return false;
  return !a.edits.empty() || (a.pods == b.pods && a.part_name() == b.part_name());
}

// Where one change mends several faults, it is said once: `said` has those of the faults before.
std::string ChangeOrReference(std::span<const JudgedFinding> faults,
                              const std::vector<std::string>& said, const std::string& change) {
  const Finding& own = faults[said.size()].finding;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const Finding& before = faults[i].finding;
    if (said[i] != change || !IsOneChange(before, own)) continue;
    return "the change for " + std::string(before.rule->id) + " mends this too";
  }
  return change;
}

std::string More(std::span<const JudgedFinding> findings, std::string_view docs_url) {
  std::vector<const rules::Rule*> rules;
  for (const JudgedFinding& judged : findings) {
    const rules::Rule* rule = judged.finding.rule;
    if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
  }
  std::string text = "More: tpu-admission explain";
  for (const rules::Rule* rule : rules) text.append(" ").append(rule->id);
  if (!docs_url.empty()) {
    for (const rules::Rule* rule : rules) {
      text.append("\n      ").append(docs_url).append("/").append(FolderOf(*rule));
      text.append("/README.md");
    }
  }
  return text;
}

// "gke-tpu-topology" for "cloud.google.com/gke-tpu-topology". In what is to be set to a value that
// value stays whole: people copy it.
std::string WithoutDomains(std::string text) {
  for (const std::string_view key :
       {workload::kGkeTpuTopology, workload::kKueueQueue, workload::kInstanceTypeLabel}) {
    const std::string_view domain = key.substr(0, key.find('/') + 1);
    for (std::size_t at = text.find(domain); at != text.npos; at = text.find(domain, at)) {
      if (std::string_view(text).substr(0, at).ends_with(" to ")) {
        at += domain.size();
      } else {
        text.erase(at, domain.size());
      }
    }
  }
  return text;
}

// What to do, without the other ways to do it and the remarks.
std::string FirstChoice(const std::string& change) {
  std::size_t end = change.size();
  for (const std::string_view mark : {", or ", " (", "; ", ", which ", ", the ", ", and ",
                                      " that has publishNotReadyAddresses"}) {
    end = std::min(end, change.find(mark));
  }
  return change.substr(0, end);
}

// Of an extended resource they are equal, and the limit alone is enough.
std::string WithoutLists(std::string change) {
  constexpr std::string_view kBoth = "requests and limits of ";
  const std::size_t at = change.find(kBoth);
  return at == change.npos ? change : change.erase(at, kBoth.size());
}

// What was found, without what would be true or the reason: `accelerator "v5e" does not exist`.
std::string Found(const std::string& summary) {
  std::size_t end = 0;
  for (const std::string_view mark : {", ", ": "}) {
    const std::size_t at = summary.rfind(mark);
    if (at != summary.npos) end = std::max(end, at);
  }
  return end > 0 ? summary.substr(0, end) : summary;
}

}  // namespace

std::string DenialMessage(const workload::Workload& workload,
                          const std::vector<JudgedFinding>& findings,
                          const std::vector<repair::Repair>& repairs, std::string_view docs_url) {
  const auto end = std::find_if_not(findings.begin(), findings.end(), Denies);
  const auto faults = std::span(findings).first(std::size_t(end - findings.begin()));
  std::string text = FirstLine(workload, faults) + "\n";
  // What one edit mends is said beside it; else the repairs say it, once for all.
  const bool alone = repairs.empty() || repairs.front().as_said || faults.size() == 1;
  std::vector<std::string> said;
  std::size_t i = 0;
  for (; i < std::min(faults.size(), kMaxParagraphs) && text.size() < kEnoughBytes; ++i) {
    const Finding& finding = faults[i].finding;
    std::string change = alone ? finding.Change() : "";
    text += "\n" +
            ParagraphWithChange(finding, ChangeOrReference(faults, said, change), faults[i].more);
    if (alone) said.push_back(std::move(change));
    if (!faults[i].peer_sentence.empty()) {
      text.append("  (").append(faults[i].peer_sentence).append(")\n");
    }
  }
  if (i < faults.size()) {
    text += "\n(" + std::to_string(Count(faults.subspan(i))) + " more of the same kinds)\n";
  }
  text += "\n" + (repairs.empty() ? WhyNoRepair(findings) : WhatWouldRun(repairs));
  return text + "\n" + More(faults, docs_url);
}

std::string Paragraph(const Finding& finding, std::size_t more) {
  return ParagraphWithChange(finding, finding.Change(), more);
}

ToldFinding Told(const JudgedFinding& judged, k8s::JsonView document, const std::string& pointer) {
  const Finding& finding = judged.finding;
  workload::Edits edits = finding.edits;
  for (k8s::JsonEdit& edit : edits) edit.pointer.insert(0, pointer);
  const bool is_told = std::max(judged.mode, judged.would_be) > rules::Mode::kAudit;
  return {.rule = finding.rule,
          .mode = judged.mode,
          .would_be = judged.would_be,
          .pointer = pointer + finding.pointer,
          .container = Printable(finding.container),
          .summary = finding.summary,
          .problem = finding.problem,
          .change = finding.Change(),
          .edits = k8s::AsChanges(document, edits),
          .decision = finding.decision,
          .paragraph = is_told ? ParagraphWithChange(finding, "", judged.more) : "",
          .more = judged.more};
}

std::string Warning(const Finding& finding, std::size_t more) {
  const std::string others = more > 0 ? " (and " + std::to_string(more) + " more)" : "";
  const auto line = [&](const std::string& summary, const std::string& change) {
    return std::string(finding.rule->id) + ": " + summary + others + change;
  };
  const std::string whole = "; " + finding.Change();
  std::string text = line(finding.summary, whole);
  if (text.size() <= kWarningBytes) return text;
  // The keys of the change stay whole as long as they can: people copy them.
  const std::string change = FirstChoice(whole.substr(2)).insert(0, "; ");
  const std::string brief = WithoutLists(change);
  const std::string plain = WithoutDomains(finding.summary);
  const std::string found = Found(plain);
  using Parts = std::pair<const std::string&, const std::string&>;
  for (const auto& [summary, wish] :
       {Parts(finding.summary, change), Parts(plain, whole), Parts(plain, change),
        Parts(finding.summary, brief), Parts(plain, brief), Parts(found, change),
        Parts(found, brief)}) {
    text = line(summary, wish);
    if (text.size() <= kWarningBytes) return text;
  }
  const std::string local = WithoutDomains(change);
  for (const std::string& wish : {local, local.substr(0, local.find(" to "))}) {
    text = line(plain, wish);
    if (text.size() <= kWarningBytes) return text;
  }
  return Cut(line(finding.summary, ""), kWarningBytes);
}

}  // namespace tpu_admission::admission
