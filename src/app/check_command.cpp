// `tpu-admission check`: the engine on YAML files.
#include <array>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/manifest.h"
#include "app/settings_loader.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::app {
namespace {

using admission::JudgedFinding;
using rules::Mode;

constexpr const char* kIgnorePointer = "/metadata/annotations/tpu-admission.io~1ignore";
constexpr std::size_t kReasonBytes = 200;

// Where the results go: text for people, JSON for programs.
class Output {
 public:
  virtual ~Output() = default;
  virtual void Finding(const std::string& file, const ManifestObject& object,
                       const workload::Workload& workload, const JudgedFinding& judged) = 0;
  // About an exemption that does not count.
  virtual void Complaint(const std::string& file, const ManifestObject& object,
                         const workload::Workload& workload, const std::string& what) = 0;
  virtual void Unreadable(const std::string& file, const std::string& what) = 0;
  virtual void Finish(std::size_t workloads, const std::array<std::size_t, 4>& by_mode) = 0;
};

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
    if (judged.mode == Mode::kAudit) return;
    Line(file, object.LineOf(finding.pointer), judged.mode == Mode::kDeny ? "error" : "warning",
         workload, finding.summary);
    std::cout << admission::Paragraph(finding) << '\n';
  }
  void Complaint(const std::string& file, const ManifestObject& object,
                 const workload::Workload& workload, const std::string& what) override {
    Line(file, object.LineOf(kIgnorePointer), "warning", workload, what + '\n');
  }
  void Unreadable(const std::string& file, const std::string& what) override {
    std::cout << file << ':' << what << '\n';
  }
  void Finish(std::size_t workloads, const std::array<std::size_t, 4>& by_mode) override {
    std::cout << Number(workloads, "TPU workload")
              << " checked: " << Number(by_mode[static_cast<std::size_t>(Mode::kDeny)], "error")
              << ", " << Number(by_mode[static_cast<std::size_t>(Mode::kWarn)], "warning") << '\n';
  }

 private:
  static void Line(const std::string& file, std::size_t line, const char* word,
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
    findings_.push_back({{"file", file},
                         {"line", object.LineOf(finding.pointer)},
                         {"kind", workload.kind->name},
                         {"name", Printable(workload.metadata.name)},
                         {"rule", finding.rule->id},
                         {"rule_name", finding.rule->name},
                         {"mode", Name(judged.mode)},
                         {"field", FieldPath(finding.pointer)},
                         {"container", Printable(finding.container)},
                         {"summary", finding.summary},
                         {"problem", finding.problem},
                         {"change", finding.change}});
    if (!judged.ignored_because.empty()) {
      findings_.back()["ignored_because"] = Printable(judged.ignored_because, kReasonBytes);
    }
  }
  void Complaint(const std::string& file, const ManifestObject& object,
                 const workload::Workload& workload, const std::string& what) override {
    complaints_.push_back({{"file", file},
                           {"line", object.LineOf(kIgnorePointer)},
                           {"kind", workload.kind->name},
                           {"name", Printable(workload.metadata.name)},
                           {"complaint", what}});
  }
  void Unreadable(const std::string& file, const std::string& what) override {
    errors_.push_back({{"file", file}, {"error", what}});
  }
  void Finish(std::size_t workloads, const std::array<std::size_t, 4>&) override {
    const nlohmann::ordered_json report = {{"workloads", workloads},
                                           {"findings", findings_},
                                           {"complaints", complaints_},
                                           {"errors", errors_}};
    std::cout << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }

 private:
  nlohmann::ordered_json findings_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json complaints_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json errors_ = nlohmann::ordered_json::array();
};

class Checker {
 public:
  Checker(const admission::Settings& settings, Day today, Output& output)
      : settings_(settings), today_(today), output_(output) {}

  void CheckFile(const std::string& file) {
    const Result<std::string> text = Read(file);
    if (!text) return Unreadable(file, " " + text.error().message);
    const Status status =
        ForEachObject(*text, [&](const ManifestObject& object) { CheckObject(file, object); });
    if (!status) Unreadable(file, status.error().message);
  }

  void Finish() { output_.Finish(workloads_, by_mode_); }
  bool unreadable() const { return unreadable_; }
  bool Has(Mode mode) const { return by_mode_[static_cast<std::size_t>(mode)] > 0; }

 private:
  static Result<std::string> Read(const std::string& file) {
    if (file != "-") return ReadFile(file);
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  }

  void CheckObject(const std::string& file, const ManifestObject& object) {
    arena_.Reset();
    const Result<workload::Workload> workload =
        workload::ReadWorkload(settings_.policy.kinds(), object.gvk, object.json, arena_);
    if (!workload) {
      const std::string line = std::to_string(object.LineOf(""));
      return Unreadable(file, line + ":1: " + workload.error().message);
    }
    if (workload->pod_sets.empty()) return;
    ++workloads_;
    const admission::Decision decision =
        admission::Decide(settings_.engine.Evaluate(*workload), *workload, settings_.policy,
                          {workload->metadata.namespace_name, today_});
    for (const JudgedFinding& judged : decision.findings) {
      ++by_mode_[static_cast<std::size_t>(judged.mode)];
      output_.Finding(file, object, *workload, judged);
    }
    for (const std::string& complaint : decision.complaints) {
      ++by_mode_[static_cast<std::size_t>(Mode::kWarn)];
      output_.Complaint(file, object, *workload, complaint);
    }
  }

  void Unreadable(const std::string& file, const std::string& what) {
    unreadable_ = true;
    output_.Unreadable(file, what);
  }

  const admission::Settings& settings_;
  const Day today_;
  Output& output_;
  k8s::Arena arena_;
  std::size_t workloads_ = 0;
  std::array<std::size_t, 4> by_mode_{};
  bool unreadable_ = false;
};

int Complain(const Error& error) {
  std::cerr << "tpu-admission: " << error.message << '\n';
  return kCannotRun;
}

}  // namespace

int Check(const CheckOptions& options) {
  auto settings = SettingsLoader(options.engine, "").Load();
  if (!settings) return Complain(settings.error());
  TextOutput text;
  JsonOutput json;
  Output& output = options.output == "json" ? static_cast<Output&>(json) : text;
  Checker checker(**settings, DayOf(SystemClock().Now()), output);
  for (const std::string& path : options.paths) {
    const Result<std::vector<std::string>> files = ManifestFiles(path);
    if (!files) return Complain(files.error());
    for (const std::string& file : *files) checker.CheckFile(file);
  }
  checker.Finish();
  if (checker.unreadable()) return kCannotRun;
  const bool warned = options.fail_on == "warn" && checker.Has(Mode::kWarn);
  return checker.Has(Mode::kDeny) || warned ? kFaultsFound : kDone;
}

}  // namespace tpu_admission::app
