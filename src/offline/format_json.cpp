// JSON for programs; the contract is config/schemas/check.json.
#include <nlohmann/json.hpp>

#include "offline/formats.h"
#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/json_tree.h"

namespace tpu_admission::offline {
namespace {

using Json = nlohmann::ordered_json;

// Lines of one member, each a value.
class List {
 public:
  void Add(const Json& value) {
    text_ += text_.empty() ? "\n    " : ",\n    ";
    text_ += HarmlessJson(Dumped(value));
  }
  void Write(std::string_view name, std::string& out) const {
    out.append("  \"").append(name).append("\": [").append(text_);
    out += text_.empty() ? "]" : "\n  ]";
  }

 private:
  std::string text_;
};

class JsonFormat final : public Format {
 public:
  void Add(const FileReport& report, std::string&) override {
    for (const ObjectReport& object : report.objects) {
      for (const ReportedFinding& finding : object.findings) AddFinding(report, object, finding);
      for (const ReportedRepair& repair : object.repairs) AddRepair(report, object, repair);
      for (const Note& note : object.warnings) {
        AddComplaint(report, object.kind, object.name, note);
      }
      for (const Note& note : object.errors) AddError(report, note);
    }
    for (const Note& note : report.warnings) AddComplaint(report, "", "", note);
    for (const Note& note : report.errors) AddError(report, note);
  }

  void Finish(const Counts& counts, std::string& out) override {
    out += "{\n  \"version\": 1,\n  \"documents\": " + std::to_string(counts.documents) +
           ",\n  \"workloads\": " + std::to_string(counts.workloads) + ",\n";
    findings_.Write("findings", out);
    out += ",\n";
    repairs_.Write("repairs", out);
    out += ",\n";
    complaints_.Write("complaints", out);
    out += ",\n";
    errors_.Write("errors", out);
    out += "\n}\n";
  }

 private:
  void AddFinding(const FileReport& report, const ObjectReport& object,
                  const ReportedFinding& finding) {
    Json json = {{"file", report.file},
                 {"line", finding.place.begin.line},
                 {"column", finding.place.begin.column},
                 {"document", object.document},
                 {"apiVersion", object.api_version},
                 {"kind", object.kind},
                 {"namespace", object.namespace_name},
                 {"name", object.name},
                 {"rule", finding.rule->id},
                 {"rule_name", finding.rule->name},
                 {"mode", Name(finding.mode)},
                 {"would_be", Name(finding.would_be)},
                 {"field", finding.field},
                 {"pointer", finding.pointer},
                 {"container", finding.container},
                 {"summary", finding.summary},
                 {"problem", finding.problem},
                 {"change", finding.change},
                 {"edits", Json::parse(finding.edits)},
                 {"end_line", finding.place.end.line},
                 {"end_column", finding.place.end.column}};
    if (!finding.decision.empty()) json["decision"] = finding.decision;
    if (!object.source.empty()) json["source"] = object.source;
    if (finding.more > 0) json["more"] = finding.more;
    if (!finding.ignored_because.empty()) json["ignored_because"] = finding.ignored_because;
    if (finding.is_known) json["known"] = true;
    findings_.Add(json);
  }

  void AddRepair(const FileReport& report, const ObjectReport& object,
                 const ReportedRepair& reported) {
    const repair::Repair& repair = reported.repair;
    repairs_.Add({{"file", report.file},
                  {"document", object.document},
                  {"label", std::string(1, reported.label)},
                  {"text", repair.Title() + ": " + repair.changes},
                  {"total_chips", {repair.chips_before, repair.chips_after}},
                  {"patch", Json::parse(reported.patch)}});
  }

  void AddComplaint(const FileReport& report, std::string_view kind, std::string_view name,
                    const Note& note) {
    complaints_.Add({{"file", report.file},
                     {"line", note.place.line},
                     {"column", note.place.column},
                     {"kind", kind},
                     {"name", name},
                     {"complaint", note.text}});
  }

  void AddError(const FileReport& report, const Note& note) {
    errors_.Add({{"file", report.file},
                 {"line", note.place.line},
                 {"column", note.place.column},
                 {"error", note.text}});
  }

  List findings_;
  List repairs_;
  List complaints_;
  List errors_;
};

}  // namespace

std::unique_ptr<Format> NewJsonFormat() { return std::make_unique<JsonFormat>(); }

}  // namespace tpu_admission::offline
