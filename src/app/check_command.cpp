// `tpu-admission check`: the engine on YAML files.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/check_fix.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/manifest.h"
#include "app/settings_loader.h"
#include "tpu_admission/admission/judge.h"
#include "tpu_admission/admission/repairs.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/offline/text_edit.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::app {
namespace {

using admission::JudgedFinding;
using rules::Mode;

constexpr const char* kIgnorePointer = "/metadata/annotations/tpu-admission.io~1ignore";
constexpr std::size_t kReasonBytes = 200;

struct Counts {
  std::size_t documents = 0;
  std::size_t workloads = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t would_be_denied = 0;
};

// Where the results go: text for people, JSON for programs.
class Output {
 public:
  virtual ~Output() = default;
  virtual void Finding(const std::string& file, const ManifestObject& object,
                       const workload::Workload& workload, const JudgedFinding& judged) = 0;
  // A warning that is no finding: about the value at `pointer`.
  virtual void Complaint(const std::string& file, const ManifestObject& object,
                         const workload::Workload& workload, const std::string& pointer,
                         const std::string& what) = 0;
  // Of a kind that is not read, though it asks for chips.
  virtual void NotRead(const std::string& file, const ManifestObject& object) = 0;
  // What would run in the place of `object`.
  virtual void Repairs(const std::string& file, const ManifestObject& object,
                       const std::vector<repair::Repair>& repairs) = 0;
  // What could not be read; line 0: the file as a whole.
  virtual void Unreadable(const std::string& file, YamlMark place, const std::string& what) = 0;
  virtual void Finish(const Counts& counts) = 0;
};

constexpr YamlMark kWholeFile = {0, 0, 0};

std::string ApiVersion(const k8s::GroupVersionKind& gvk) {
  return gvk.group.empty() ? std::string(gvk.version)
                           : std::string(gvk.group) + "/" + std::string(gvk.version);
}

// Whether a map somewhere in the object has chips: google.com/tpu with an amount.
bool NamesChips(k8s::JsonView value) {
  if (value.is_object() && value[workload::kTpuResource].has_value()) return true;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (NamesChips(value.is_object() ? value.Member(i) : value.Element(i))) return true;
  }
  return false;
}

std::string NotReadText(const ManifestObject& object) {
  return Printable(object.gvk.kind) + " " + Quoted(object.json["metadata"]["name"].StringOr("")) +
         " asks for google.com/tpu, but is of a kind that is not read; see `kinds` of the policy";
}

// How a finding is announced; empty: it is not. What the policy's `default` holds back is told all
// the same: who looks at files wants to know before the next stage of the rollout.
std::string Word(const JudgedFinding& judged) {
  if (WouldDeny(judged)) {
    return judged.mode == Mode::kWarn ? "warning (would be denied)" : "would be denied";
  }
  if (judged.would_be == Mode::kAudit) return "";
  if (judged.mode == Mode::kAudit) return "would warn";
  return judged.mode == Mode::kDeny ? "error" : "warning";
}

class TextOutput final : public Output {
 public:
  void Finding(const std::string& file, const ManifestObject& object,
               const workload::Workload& workload, const JudgedFinding& judged) override {
    const rules::Finding& finding = judged.finding;
    if (!judged.ignored_because.empty()) {
      Line(file, object.LineOf(finding.pointer), "ignored", workload,
           std::string(finding.rule->id) + ": " + finding.summary +
               " (ignored because: " + Printable(judged.ignored_because, kReasonBytes) + ")\n");
    }
    const std::string word = Word(judged);
    if (word.empty()) return;
    Line(file, object.LineOf(finding.pointer), word, workload, finding.summary);
    std::cout << admission::Paragraph(finding, judged.more) << '\n';
  }
  void Complaint(const std::string& file, const ManifestObject& object,
                 const workload::Workload& workload, const std::string& pointer,
                 const std::string& what) override {
    Line(file, object.LineOf(pointer), "warning", workload, what + '\n');
  }
  void NotRead(const std::string& file, const ManifestObject& object) override {
    std::cout << file << ':' << object.PlaceOf("").value.line
              << ": warning: " << NotReadText(object) << "\n\n";
  }
  void Repairs(const std::string&, const ManifestObject&,
               const std::vector<repair::Repair>& repairs) override {
    if (!repairs.empty()) std::cout << admission::WhatWouldRun(repairs) << '\n';
  }
  void Unreadable(const std::string& file, YamlMark place, const std::string& what) override {
    std::cout << file << ':';
    if (place.line > 0) std::cout << place.line << ':' << place.column << ':';
    std::cout << ' ' << what << '\n';
  }
  void Finish(const Counts& counts) override {
    std::cout << Number(counts.workloads, "TPU workload")
              << " checked: " << Number(counts.errors, "error") << ", "
              << Number(counts.warnings, "warning");
    if (counts.would_be_denied > 0) {
      std::cout << "; " << Number(counts.would_be_denied, "finding")
                << " would be denied without the policy's default";
    }
    std::cout << '\n';
  }

 private:
  static void Line(const std::string& file, std::size_t line, const std::string& word,
                   const workload::Workload& workload, const std::string& what) {
    std::cout << file << ':' << line << ": " << word << ": " << Title(workload) << ": " << what
              << '\n';
  }
  static std::string Number(std::size_t number, const std::string& noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
  }
};

class JsonOutput final : public Output {
 public:
  void Finding(const std::string& file, const ManifestObject& object,
               const workload::Workload& workload, const JudgedFinding& judged) override {
    const rules::Finding& finding = judged.finding;
    const YamlMark place = object.PlaceOf(finding.pointer).value;
    findings_.push_back({{"file", file},
                         {"line", place.line},
                         {"column", place.column},
                         {"document", object.index},
                         {"apiVersion", ApiVersion(object.gvk)},
                         {"kind", workload.kind->name},
                         {"namespace", Printable(workload.metadata.namespace_name)},
                         {"name", Printable(workload.metadata.name)},
                         {"rule", finding.rule->id},
                         {"rule_name", finding.rule->name},
                         {"mode", Name(judged.mode)},
                         {"would_be", Name(judged.would_be)},
                         {"field", FieldPath(finding.pointer)},
                         {"pointer", object.pointer + finding.pointer},
                         {"container", Printable(finding.container)},
                         {"summary", finding.summary},
                         {"problem", finding.problem},
                         {"change", finding.change}});
    if (judged.more > 0) findings_.back()["more"] = judged.more;
    if (!judged.ignored_because.empty()) {
      findings_.back()["ignored_because"] = Printable(judged.ignored_because, kReasonBytes);
    }
  }
  void Complaint(const std::string& file, const ManifestObject& object,
                 const workload::Workload& workload, const std::string& pointer,
                 const std::string& what) override {
    complaints_.push_back({{"file", file},
                           {"line", object.LineOf(pointer)},
                           {"kind", workload.kind->name},
                           {"name", Printable(workload.metadata.name)},
                           {"complaint", what}});
  }
  void NotRead(const std::string& file, const ManifestObject& object) override {
    complaints_.push_back({{"file", file},
                           {"line", object.PlaceOf("").value.line},
                           {"kind", Printable(object.gvk.kind)},
                           {"name", Printable(object.json["metadata"]["name"].StringOr(""))},
                           {"complaint", NotReadText(object)}});
  }
  void Repairs(const std::string& file, const ManifestObject& object,
               const std::vector<repair::Repair>& repairs) override {
    char label = 'a';
    for (const repair::Repair& repair : repairs) {
      std::vector<k8s::JsonEdit> edits = repair.edits;
      for (k8s::JsonEdit& edit : edits) edit.pointer.insert(0, object.pointer);
      const k8s::JsonView document = object.root;
      repairs_.push_back({{"file", file},
                          {"document", object.index},
                          {"label", std::string(1, label++)},
                          {"text", repair.Title() + ": " + repair.changes},
                          {"total_chips", {repair.chips_before, repair.chips_after}},
                          {"patch", nlohmann::ordered_json::parse(k8s::AsPatch(document, edits))}});
    }
  }
  void Unreadable(const std::string& file, YamlMark place, const std::string& what) override {
    errors_.push_back(
        {{"file", file}, {"line", place.line}, {"column", place.column}, {"error", what}});
  }
  void Finish(const Counts& counts) override {
    const nlohmann::ordered_json report = {
        {"version", 1},          {"documents", counts.documents}, {"workloads", counts.workloads},
        {"findings", findings_}, {"repairs", repairs_},           {"complaints", complaints_},
        {"errors", errors_}};
    std::cout << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }

 private:
  nlohmann::ordered_json findings_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json repairs_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json complaints_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json errors_ = nlohmann::ordered_json::array();
};

class Checker {
 public:
  Checker(const admission::Settings& settings, std::string_view namespace_name, Day today,
          Output& output)
      : settings_(settings), namespace_(namespace_name), today_(today), output_(output) {}

  void CheckFile(const std::string& file) {
    const Result<std::string> text = DiskFiles().ReadInput(file, kMaxManifestBytes);
    if (!text) return Unreadable(file, kWholeFile, text.error().message);
    const ManifestErrors read =
        ForEachObject(*text, [&](const ManifestObject& object) { CheckObject(file, object); });
    counts_.documents += read.documents;
    for (const YamlError& error : read.errors) Unreadable(file, error.mark, error.message);
  }
  void Unreadable(const std::string& file, YamlMark place, const std::string& what) {
    unreadable_ = true;
    output_.Unreadable(file, place, what);
  }

  void Finish() { output_.Finish(counts_); }
  bool unreadable() const { return unreadable_; }
  const Counts& counts() const { return counts_; }

 private:
  void CheckObject(const std::string& file, const ManifestObject& object) {
    arena_.Reset();
    const admission::Submission submission = SubmissionOf(object, namespace_, today_);
    const admission::Judgement judgement = Judge(settings_, submission, arena_);
    using State = admission::Judgement::State;
    if (judgement.state == State::kUnreadable) {
      Unreadable(file, object.PlaceOf("").value, judgement.reason);
    } else if (judgement.state == State::kNotChecked) {
      ++counts_.warnings;
      output_.Complaint(file, object, judgement.workload, "", "not checked: " + judgement.reason);
    } else if (judgement.state == State::kJudged) {
      ++counts_.workloads;
      Tell(file, object, judgement);
      output_.Repairs(file, object, RepairsOf(settings_, submission, judgement, arena_));
    } else if (!IsRead(object.gvk) && NamesChips(object.json)) {
      ++counts_.warnings;
      output_.NotRead(file, object);
    }
  }

  void Tell(const std::string& file, const ManifestObject& object,
            const admission::Judgement& judgement) {
    const workload::Workload& workload = judgement.workload;
    if (!workload.not_judged.empty()) {
      ++counts_.warnings;
      output_.Complaint(file, object, workload, "",
                        "not checked: " + std::string(workload.not_judged));
    }
    for (const workload::Slip& slip : workload.slips) {
      Unreadable(file, object.PlaceOf(slip.pointer).value, slip.problem);
    }
    for (const JudgedFinding& judged : judgement.decision.findings) {
      if (judged.mode == Mode::kDeny) counts_.errors += 1 + judged.more;
      if (judged.mode == Mode::kWarn) counts_.warnings += 1 + judged.more;
      if (WouldDeny(judged)) counts_.would_be_denied += 1 + judged.more;
      output_.Finding(file, object, judgement.workload, judged);
    }
    for (const std::string& complaint : judgement.decision.complaints) {
      ++counts_.warnings;
      output_.Complaint(file, object, judgement.workload, kIgnorePointer, complaint);
    }
    if (judgement.decision.untold > 0) {
      ++counts_.warnings;
      output_.Complaint(file, object, judgement.workload, "",
                        "and " + std::to_string(judgement.decision.untold) + " more findings");
    }
  }

  bool IsRead(const k8s::GroupVersionKind& gvk) const {
    return settings_.policy.kinds().Find(gvk.group, gvk.kind) != nullptr;
  }

  const admission::Settings& settings_;
  const std::string_view namespace_;  // of objects that name none
  const Day today_;
  Output& output_;
  k8s::Arena arena_;
  Counts counts_;
  bool unreadable_ = false;
};

// Prints or writes what repairs make of the files; false if one could not be.
bool FixFiles(const admission::Settings& settings, const CheckOptions& options, Day today,
              bool& differs) {
  bool whole = true;
  const auto fail = [&](const std::string& what) {
    std::cerr << "tpu-admission: " << what << '\n';
    whole = false;
  };
  for (const std::string& path : options.paths) {
    const ManifestPaths found = ManifestFiles(path);
    for (const auto& [name, why] : found.errors) fail(name + ": " + why);
    for (const std::string& file : found.files) {
      const Result<FixedFile> fixed = FixFile(settings, options, file, today);
      if (!fixed) {
        fail(fixed.error().message);
        continue;
      }
      if (fixed->before == fixed->after) continue;
      differs = true;
      if (options.diff) {
        std::cout << offline::UnifiedDiff(file, fixed->before, fixed->after);
      } else if (const Status written = WriteFile(file, fixed->after); !written) {
        fail(written.error().message);
      } else {
        std::cerr << "tpu-admission: repaired " << file << '\n';
      }
    }
  }
  return whole;
}

int Complain(const Error& error) {
  std::cerr << "tpu-admission: " << error.message << '\n';
  return kCannotRun;
}

}  // namespace

int Check(const CheckOptions& options) {
  const DiskFiles disk;
  SettingsLoader loader(options.engine, "", disk);
  auto settings = loader.Load();
  if (!settings) return Complain(settings.error());
  for (const std::string& warning : loader.warnings()) {
    std::cerr << "tpu-admission: warning: " << warning << '\n';
  }
  const Day today = DayOf(SystemClock().Now());
  if (options.fix || options.diff) {
    const bool from_input =
        std::find(options.paths.begin(), options.paths.end(), "-") != options.paths.end();
    if (options.fix && from_input) {
      return Complain(Error{"standard input cannot be repaired in place; use --diff"});
    }
    bool differs = false;
    const bool whole = FixFiles(**settings, options, today, differs);
    if (!whole) return kCannotRun;
    if (options.diff) return differs ? kFaultsFound : kDone;
  }
  TextOutput text;
  JsonOutput json;
  Output& output = options.output == "json" ? static_cast<Output&>(json) : text;
  Checker checker(**settings, options.namespace_name, today, output);
  for (const std::string& path : options.paths) {
    const ManifestPaths found = ManifestFiles(path);
    for (const std::string& file : found.files) checker.CheckFile(file);
    for (const auto& [name, why] : found.errors) checker.Unreadable(name, kWholeFile, why);
  }
  checker.Finish();
  if (checker.unreadable()) return kCannotRun;
  const bool warned = options.fail_on == "warn" && checker.counts().warnings > 0;
  return checker.counts().errors > 0 || warned ? kFaultsFound : kDone;
}

}  // namespace tpu_admission::app
