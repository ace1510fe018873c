// SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/): findings, and repairs as fixes.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "offline/formats.h"
#include "offline/reading_budget.h"
#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/json_tree.h"
#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/version.h"
#include "tpu_admission/offline/text_edit.h"
#include "tpu_admission/rules/readme.h"

namespace tpu_admission::offline {
namespace {

using Json = nlohmann::ordered_json;
using rules::Mode;

std::string Dump(const Json& json) { return HarmlessJson(Dumped(json)); }

// A path as a relative or file: URI.
std::string UriOf(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  if (path == "-") return "stdin";
  for (const char c : path) {
    if (kPlain.find(c) != kPlain.npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri;
}

// What the problem is said of, as in text: `spec.containers[0] "jax" `.
std::string Where(const ReportedFinding& finding) {
  std::string where = finding.field;
  if (!finding.container.empty()) where += " " + Quoted(finding.container);
  return where.empty() ? "" : where + " ";
}

Json RegionOf(const Span& place) {
  Json region = {{"startLine", place.begin.line}, {"startColumn", place.begin.column}};
  if (place.end.line > place.begin.line || place.end.column > place.begin.column) {
    region["endLine"] = place.end.line;
    region["endColumn"] = place.end.column;
  }
  return region;
}

Json LocationOf(std::string_view file, const Span& place, bool has_region) {
  Json physical = {{"artifactLocation", {{"uri", UriOf(file)}}}};
  if (has_region && place.begin.line > 0) physical["region"] = RegionOf(place);
  return {{"physicalLocation", physical}};
}

Json FixOf(const FileReport& report, const LineIndex& lines, const ReportedRepair& reported,
           const std::vector<TextChange>& changes) {
  Json replacements = Json::array();
  for (const TextChange& change : changes) {
    const YamlMark begin = lines.At(change.begin);
    const YamlMark end = lines.At(change.end);
    replacements.push_back({{"deletedRegion",
                             {{"startLine", begin.line},
                              {"startColumn", begin.column},
                              {"endLine", end.line},
                              {"endColumn", end.column}}},
                            {"insertedContent", {{"text", change.text}}}});
  }
  const repair::Repair& repair = reported.repair;
  return {
      {"description", {{"text", repair.Title() + ": " + repair.changes}}},
      {"artifactChanges",
       {{{"artifactLocation", {{"uri", UriOf(report.file)}}}, {"replacements", replacements}}}}};
}

class SarifFormat final : public Format {
 public:
  void Add(const FileReport& report, std::string&) override {
    const bool has_repairs =
        std::any_of(report.objects.begin(), report.objects.end(),
                    [](const ObjectReport& object) { return !object.repairs.empty(); });
    const std::string_view text = has_repairs ? std::string_view(report.text) : "";
    const YamlStream stream = ReadYaml(text);
    const LineIndex lines(text);
    ReadingBudget budget;
    std::map<std::string, std::size_t> prints;
    for (const ObjectReport& object : report.objects) {
      const Json fixes =
          object.source.empty() ? Fixes(report, object, stream, lines, budget) : Json();
      for (const ReportedFinding& finding : object.findings) {
        AddResult(report, object, finding, fixes, prints);
      }
      for (const Note& note : object.warnings) {
        AddNote(FileOf(report, object), note, object.title + ": ", "warning",
                object.source.empty());
      }
      for (const Note& note : object.errors) AddNote(report.file, note, "", "error", true);
    }
    for (const Note& note : report.warnings) AddNote(report.file, note, "", "warning", true);
    for (const Note& note : report.errors) AddNote(report.file, note, "", "error", true);
  }

  void Finish(const Counts& counts, std::string& out) override {
    out +=
        "{\"$schema\":\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
        "sarif-schema-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":";
    out += Dump({{"name", "tpu-admission"}, {"version", Version()}, {"rules", rules_}});
    out += "},\"columnKind\":\"unicodeCodePoints\",\"invocations\":[{\"executionSuccessful\":";
    out += counts.unreadable == 0 ? "true" : "false";
    out += ",\"toolExecutionNotifications\":[" + notifications_ + "]}],\"results\":[" + results_ +
           "]}]}\n";
  }

 private:
  static Json Fixes(const FileReport& report, const ObjectReport& object, const YamlStream& stream,
                    const LineIndex& lines, ReadingBudget& budget) {
    Json fixes = Json::array();
    for (const ReportedRepair& repair : object.repairs) {
      if (!budget.Take(report.text)) break;
      const auto changes = ChangesOf(report.text, stream, object.document, repair.repair.edits);
      if (changes) fixes.push_back(FixOf(report, lines, repair, *changes));
    }
    return fixes;
  }

  std::size_t IndexOf(const rules::Rule& rule) {
    const auto [known, is_new] = indices_.emplace(&rule, rules_.size());
    if (is_new) {
      rules_.push_back(
          {{"id", rule.id},
           {"name", rule.name},
           {"shortDescription", {{"text", rules::SummaryOf(rule)}}},
           {"help",
            {{"text", "tpu-admission explain " + std::string(rule.id)},
             {"markdown", rules::ReadmeOf(rule)}}},
           {"defaultConfiguration", {{"level", rule.mode == Mode::kDeny ? "error" : "warning"}}}});
    }
    return known->second;
  }

  void AddResult(const FileReport& report, const ObjectReport& object,
                 const ReportedFinding& finding, const Json& fixes,
                 std::map<std::string, std::size_t>& prints) {
    const bool ignored = !finding.ignored_because.empty();
    if (Word(finding).empty() && !ignored && !finding.is_known) return;
    const std::string_view file = FileOf(report, object);
    Json location = LocationOf(file, finding.place, object.source.empty());
    location["logicalLocations"] = {
        {{"name", object.name},
         {"kind", "object"},
         {"fullyQualifiedName", object.kind + "/" + object.name + ": " + finding.field}}};
    Json result = {{"ruleId", finding.rule->id},
                   {"ruleIndex", IndexOf(*finding.rule)},
                   {"level", finding.mode == Mode::kDeny   ? "error"
                             : finding.mode == Mode::kWarn ? "warning"
                                                           : "note"},
                   {"message",
                    {{"text", object.title + ": " + finding.summary + ". " + Where(finding) +
                                  finding.problem + " To do: " + finding.change}}},
                   {"locations", {location}},
                   {"partialFingerprints",
                    {{"tpuAdmission/v1", Numbered(Fingerprint(file, object, finding), prints)}}}};
    if (ignored) {
      result["suppressions"] = {{{"kind", "inSource"}, {"justification", finding.ignored_because}}};
    }
    if (finding.is_known) result["baselineState"] = "unchanged";
    if (!fixes.empty() && !ignored) result["fixes"] = fixes;
    Append(results_, result);
  }

  void AddNote(std::string_view file, const Note& note, const std::string& start, const char* level,
               bool has_region) {
    Append(notifications_,
           {{"level", level},
            {"message", {{"text", start + note.text}}},
            {"locations", {LocationOf(file, {note.place, note.place}, has_region)}}});
  }

  static void Append(std::string& list, const Json& json) {
    list += (list.empty() ? "\n" : ",\n") + Dump(json);
  }

  Json rules_ = Json::array();
  std::map<const rules::Rule*, std::size_t> indices_;
  std::string results_;
  std::string notifications_;
};

}  // namespace

std::unique_ptr<Format> NewSarifFormat() { return std::make_unique<SarifFormat>(); }

}  // namespace tpu_admission::offline
