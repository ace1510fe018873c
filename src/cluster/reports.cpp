#include "tpu_admission/cluster/reports.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/json_tree.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::cluster {
namespace {

using rules::Mode;
using Json = nlohmann::ordered_json;

const char* ResultOf(Mode mode) {
  if (mode == Mode::kDeny) return "fail";
  return mode == Mode::kWarn ? "warn" : "skip";
}

// The first schemas of v1alpha2 know no other words.
const char* SeverityOf(Mode mode) {
  if (mode == Mode::kDeny) return "high";
  return mode == Mode::kWarn ? "medium" : "low";
}

// What lies idle may be meant to; what waits or is broken is not.
bool IsBroken(Waste waste) { return waste != Waste::kIdle && waste != Waste::kHalfUsed; }

Json ToResult(const ScanFinding& finding) {
  return {
      {"source", kReportSource},
      {"policy", kReportSource},
      {"rule", std::string(finding.rule->id) + " " + std::string(finding.rule->name)},
      {"category", "TPU"},
      {"severity", SeverityOf(finding.mode)},
      {"result", ResultOf(finding.mode)},
      {"scored", finding.mode == Mode::kDeny},
      {"message", finding.summary + ". To mend it: " + finding.change},
      {"properties", {{"field", FieldPath(finding.pointer)}, {"container", finding.container}}}};
}

Json ToResult(const WasteFound& found) {
  return {{"source", kReportSource},
          {"policy", kCapacityReport},
          {"rule", Word(found.waste)},
          {"category", "TPU"},
          {"severity", IsBroken(found.waste) ? "high" : "low"},
          {"result", IsBroken(found.waste) ? "fail" : "warn"},
          {"scored", false},
          {"message", found.text},
          {"properties",
           {{"subject", found.subject},
            {"chips", std::to_string(found.chips)},
            {"since", UtcText(WallOf(found.since))}}}};
}

// A name that no other workload of the namespace has: its uid, as others name their reports.
std::string NameOf(const ScannedWorkload& workload) {
  if (!workload.uid.empty()) return workload.uid;
  return LowerCase(workload.kind + "-" + workload.name);
}

Json OwnersOf(const ScannedWorkload& workload) {
  return Json::array({{{"apiVersion", workload.api_version},
                       {"kind", workload.kind},
                       {"name", workload.name},
                       {"uid", workload.uid}}});
}

Json ScopeOf(const ScannedWorkload& workload) {
  Json scope = {
      {"apiVersion", workload.api_version}, {"kind", workload.kind}, {"name", workload.name}};
  if (!workload.namespace_name.empty()) scope["namespace"] = workload.namespace_name;
  if (!workload.uid.empty()) scope["uid"] = workload.uid;
  return scope;
}

// FNV-1a: tells changes from none, and need not resist anybody.
std::string HashOf(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return hex;
}

Json Empty(const ReportApi& api, const std::string& namespace_name, const std::string& name) {
  const std::string kind(api.kind);
  Json report = {{"apiVersion", api.ApiVersion()},
                 {"kind", namespace_name.empty() ? "Cluster" + kind : kind},
                 {"metadata", {{"name", name}, {"labels", {{kReportLabel, kReportSource}}}}}};
  if (!namespace_name.empty()) report["metadata"]["namespace"] = namespace_name;
  if (api.has_source) report["source"] = kReportSource;
  return report;
}

template <typename Each>
void AddResults(Json& report, const std::vector<Each>& all) {
  Json results = Json::array();
  Json summary = {{"pass", 0}, {"fail", 0}, {"warn", 0}, {"error", 0}, {"skip", 0}};
  for (std::size_t i = 0; i < std::min(all.size(), kMostResults); ++i) {
    Json result = ToResult(all[i]);
    Json& count = summary[result["result"].template get<std::string>()];
    count = count.template get<int>() + 1;
    results.push_back(std::move(result));
  }
  report["summary"] = std::move(summary);
  report["results"] = std::move(results);
}

// `report` without times -> whole.
ReportObject Finish(Json report, std::int64_t seconds) {
  ReportObject object;
  object.content = HashOf(Dumped(report));
  report["metadata"]["annotations"] = {{kContentAnnotation, object.content}};
  for (Json& result : report["results"]) {
    result["timestamp"] = {{"seconds", seconds}, {"nanos", 0}};
  }
  object.namespace_name = report["metadata"].value("namespace", "");
  object.name = report["metadata"].value("name", "");
  object.text = Dumped(report);
  return object;
}

}  // namespace

bool IsReported(const ScannedWorkload& workload) {
  return std::any_of(workload.findings.begin(), workload.findings.end(),
                     [](const ScanFinding& finding) {
                       return std::max(finding.mode, finding.would_be) >= Mode::kWarn;
                     });
}

ReportObject ReportOf(const ReportApi& api, const ScannedWorkload& workload, std::int64_t seconds) {
  Json report = Empty(api, workload.namespace_name, NameOf(workload));
  if (!workload.uid.empty()) report["metadata"]["ownerReferences"] = OwnersOf(workload);
  report["scope"] = ScopeOf(workload);
  AddResults(report, workload.findings);
  return Finish(std::move(report), seconds);
}

ReportObject ReportOf(const ReportApi& api, const Capacity& capacity, std::int64_t seconds) {
  Json report = Empty(api, "", kCapacityReport);
  AddResults(report, capacity.found);
  return Finish(std::move(report), seconds);
}

std::map<std::string, std::int64_t> SinceOf(const std::string& report) {
  std::map<std::string, std::int64_t> since;
  const Json json = Json::parse(report, nullptr, /*allow_exceptions=*/false);
  for (const Json& result : At(json, "/results")) {
    const Json& properties = At(result, "/properties");
    const std::int64_t seconds = SecondsOf(TextAt(properties, "/since"));
    if (seconds > 0)
      since[TextAt(result, "/rule") + " " + TextAt(properties, "/subject")] = seconds;
  }
  return since;
}

}  // namespace tpu_admission::cluster
