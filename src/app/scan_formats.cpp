#include "app/scan_formats.h"

#include <iostream>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/offline/format.h"

namespace tpu_admission::app {
namespace {

offline::ReportedFinding ToFinding(const cluster::ScanFinding& finding) {
  offline::ReportedFinding reported;
  static_cast<admission::ToldFinding&>(reported) =
      static_cast<const admission::ToldFinding&>(finding);
  reported.field = FieldPath(finding.pointer);
  return reported;
}

offline::FileReport ToFile(const cluster::ScannedWorkload& workload) {
  offline::ObjectReport object;
  object.api_version = workload.api_version;
  object.kind = workload.kind;
  object.namespace_name = workload.namespace_name;
  object.name = workload.name;
  object.title = workload.kind + " " + Quoted(workload.name, 253);
  for (const auto& finding : workload.findings) object.findings.push_back(ToFinding(finding));
  for (const std::string& note : workload.notes) object.warnings.push_back({YamlMark(), note});
  offline::FileReport file;
  file.file = workload.namespace_name + (workload.namespace_name.empty() ? "" : "/") +
              workload.kind + "/" + workload.name;
  file.documents = file.workloads = 1;
  file.objects.push_back(std::move(object));
  return file;
}

offline::FileReport Unread(const std::string& error) {
  offline::FileReport file;
  file.file = "cluster";
  file.errors.push_back({{0, 0, 0}, error});
  return file;
}

}  // namespace

void PrintAsCheckDoes(const cluster::ScanReport& report, const std::string& format) {
  const auto output = offline::NewFormat(format, /*colour=*/false);
  offline::Counts counts;
  std::string text;
  output->Begin(text);
  const auto add = [&](const offline::FileReport& file) {
    counts.Add(file);
    output->Add(file, text);
    std::cout << text;
    text.clear();
  };
  for (const cluster::ScannedWorkload& workload : report.told) add(ToFile(workload));
  for (const std::string& error : report.errors) add(Unread(error));
  counts.documents = report.objects;
  counts.workloads = report.workloads;
  output->Finish(counts, text);
  std::cout << text;
}

}  // namespace tpu_admission::app
