#include "app/open_reports.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::app {
namespace {

using cluster::ScanFinding;
using cluster::ScannedWorkload;
using rules::Mode;
using Json = nlohmann::ordered_json;

constexpr const char* kSource = "tpu-admission";

const char* ResultOf(Mode mode) {
  if (mode == Mode::kDeny) return "fail";
  return mode == Mode::kWarn ? "warn" : "skip";
}

const char* SeverityOf(Mode mode) {
  if (mode == Mode::kDeny) return "high";
  return mode == Mode::kWarn ? "medium" : "info";
}

Json ToResult(const ScanFinding& finding, std::int64_t seconds) {
  return {
      {"source", kSource},
      {"policy", kSource},
      {"rule", std::string(finding.rule->id) + " " + std::string(finding.rule->name)},
      {"category", "TPU"},
      {"severity", SeverityOf(finding.mode)},
      {"timestamp", {{"seconds", seconds}, {"nanos", 0}}},
      {"result", ResultOf(finding.mode)},
      {"scored", finding.mode == Mode::kDeny},
      {"message", finding.summary + ". To mend it: " + finding.change},
      {"properties", {{"field", FieldPath(finding.pointer)}, {"container", finding.container}}}};
}

// A name that no other workload of the namespace has: its uid, as others name their reports.
std::string NameOf(const ScannedWorkload& workload) {
  if (!workload.uid.empty()) return workload.uid;
  std::string name = workload.kind + "-" + workload.name;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : char(c);
  });
  return name;
}

Json MetadataOf(const ScannedWorkload& workload) {
  Json metadata = {{"name", NameOf(workload)},
                   {"labels", {{"app.kubernetes.io/managed-by", kSource}}}};
  if (!workload.namespace_name.empty()) metadata["namespace"] = workload.namespace_name;
  if (!workload.uid.empty()) {
    metadata["ownerReferences"] = Json::array({{{"apiVersion", workload.api_version},
                                                {"kind", workload.kind},
                                                {"name", workload.name},
                                                {"uid", workload.uid}}});
  }
  return metadata;
}

Json ScopeOf(const ScannedWorkload& workload) {
  Json scope = {
      {"apiVersion", workload.api_version}, {"kind", workload.kind}, {"name", workload.name}};
  if (!workload.namespace_name.empty()) scope["namespace"] = workload.namespace_name;
  if (!workload.uid.empty()) scope["uid"] = workload.uid;
  return scope;
}

Json ToReport(const ScannedWorkload& workload, std::int64_t seconds) {
  Json results = Json::array();
  Json summary = {{"pass", 0}, {"fail", 0}, {"warn", 0}, {"error", 0}, {"skip", 0}};
  for (const ScanFinding& finding : workload.findings) {
    results.push_back(ToResult(finding, seconds));
    Json& count = summary[ResultOf(finding.mode)];
    count = count.get<int>() + 1;
  }
  return {{"apiVersion", "openreports.io/v1alpha1"},
          {"kind", workload.namespace_name.empty() ? "ClusterReport" : "Report"},
          {"metadata", MetadataOf(workload)},
          {"source", kSource},
          {"scope", ScopeOf(workload)},
          {"summary", summary},
          {"results", results}};
}

}  // namespace

void PrintOpenReports(const cluster::ScanReport& report, Clock::Wall now) {
  const std::int64_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  Json items = Json::array();
  for (const ScannedWorkload& workload : report.told) {
    if (!workload.findings.empty()) items.push_back(ToReport(workload, seconds));
  }
  const Json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}};
  std::cout << list.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  for (const std::string& error : report.errors) {
    std::cerr << "tpu-admission: not read: " << Printable(error, 2048) << '\n';
  }
}

}  // namespace tpu_admission::app
