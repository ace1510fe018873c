#include "audit/report_store.h"

#include <nlohmann/json.hpp>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/json_tree.h"
#include "tpu_admission/kube/json_bounds.h"

namespace tpu_admission::audit {
namespace {

using Json = nlohmann::json;

}  // namespace

Status ReportStore::Read() {
  TPU_ADMISSION_TRY_STATUS(ReadAll(std::string(of_.resource), std::string(of_.kind)));
  return ReadAll("cluster" + std::string(of_.resource), "Cluster" + std::string(of_.kind));
}

Status ReportStore::ReadAll(const std::string& resource, const std::string& kind) {
  const Collection collection{"/apis/" + of_.ApiVersion() + "/" + resource, of_.ApiVersion(), kind};
  const bool is_of_cluster = resource != of_.resource;
  const std::string label = std::string(cluster::kReportLabel) + "=" + cluster::kReportSource;
  return ForEachObject(api_, collection, label, [&](std::string_view text) {
    const Json object = kube::ParseJson<Json>(text);
    const std::string name = TextAt(object, "/metadata/name");
    const std::string space = TextAt(object, "/metadata/namespace");
    // What we write has such names; of others a path would lead anywhere.
    const bool has_place = is_of_cluster ? space.empty() : kube::IsObjectName(space);
    if (!kube::IsObjectName(name) || !has_place) return;
    const std::string content = PointerBelow("/metadata/annotations", cluster::kContentAnnotation);
    known_[PathOf(space, name)] = {TextAt(object, content), TextAt(object, "/scope/kind")};
    if (space.empty() && name == cluster::kCapacityReport) capacity_ = text;
  });
}

std::string ReportStore::PathOf(const std::string& namespace_name, const std::string& name) const {
  std::string path = "/apis/" + of_.ApiVersion();
  if (namespace_name.empty()) return path.append("/cluster").append(of_.resource) + "/" + name;
  return path.append("/namespaces/" + namespace_name + "/").append(of_.resource) + "/" + name;
}

Status ReportStore::Write(const cluster::ReportObject& report) {
  const bool sound = kube::IsObjectName(report.name) &&
                     (report.namespace_name.empty() || kube::IsObjectName(report.namespace_name));
  if (!sound) return Error{"a workload has no uid or namespace that a report could be named by"};
  const std::string path = PathOf(report.namespace_name, report.name);
  const auto known = known_.find(path);
  const bool same = known != known_.end() && known->second.content == report.content;
  if (known != known_.end()) known_.erase(known);
  if (same) return OkStatus();
  const kube::Answer answer = api_.Apply(path, report.text);
  // Its namespace goes, and the workload with it.
  const bool goes = answer.outcome == kube::Outcome::kNotFound ||
                    answer.error.find("being terminated") != std::string::npos;
  if (!answer.ok() && goes) return OkStatus();
  if (!answer.ok()) return Error{answer.error};
  ++written_;
  return OkStatus();
}

Status ReportStore::DeleteOthers(const std::set<std::string>& spared) {
  Status status = OkStatus();
  for (const auto& [path, known] : known_) {
    if (spared.contains(known.kind)) continue;
    const kube::Answer answer = api_.Delete(path);
    if (answer.ok()) {
      ++deleted_;
    } else if (answer.outcome != kube::Outcome::kNotFound) {
      status = Error{answer.error};
    }
  }
  known_.clear();
  return status;
}

}  // namespace tpu_admission::audit
