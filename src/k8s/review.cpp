#include "tpu_admission/k8s/review.h"

#include <array>

#include "tpu_admission/base/base64.h"
#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::k8s {
namespace {

constexpr std::string_view kV1 = "admission.k8s.io/v1";
constexpr std::string_view kV1Beta1 = "admission.k8s.io/v1beta1";

Operation OperationOf(std::string_view name) {
  if (name == "CREATE") return Operation::kCreate;
  if (name == "UPDATE") return Operation::kUpdate;
  if (name == "DELETE") return Operation::kDelete;
  if (name == "CONNECT") return Operation::kConnect;
  return Operation::kOther;
}

JsonView ObjectOrAbsent(JsonView view) { return view.is_object() ? view : JsonView(); }

std::optional<Error> Fault(JsonView root) {
  if (!root.is_object())
    return Error{"the body is not an AdmissionReview: it is not a JSON object"};
  if (root["kind"].StringOr("") != "AdmissionReview") {
    return Error{"the body is not an AdmissionReview: kind is " +
                 Quoted(root["kind"].StringOr("")) + ", wanted \"AdmissionReview\""};
  }
  const std::string_view version = root["apiVersion"].StringOr("");
  if (version != kV1 && version != kV1Beta1) {
    return Error{"apiVersion " + Quoted(version) +
                 " is not supported: send admission.k8s.io/v1 or v1beta1"};
  }
  const JsonView request = root["request"];
  if (!request.is_object()) return Error{"request is missing from the AdmissionReview"};
  const std::string_view uid = request["uid"].StringOr("");
  if (uid.empty()) return Error{"request.uid is missing or empty"};
  if (uid.size() > AdmissionRequest::kMaxUidBytes) {
    return Error{"request.uid is longer than 256 bytes"};
  }
  for (const std::string_view field : {"object", "oldObject"}) {
    if (request[field].has_value() && !request[field].is_object()) {
      return Error{"request." + std::string(field) + " is not a JSON object"};
    }
  }
  if (request["kind"]["kind"].StringOr("").empty()) return Error{"request.kind is missing"};
  return std::nullopt;
}

void AppendField(std::string& out, std::string_view key, std::string_view value) {
  out += ",\"";
  out += key;
  out += "\":";
  AppendJsonString(out, value);
}

void AppendPatch(std::string& out, std::string_view patch) {
  out += R"(,"patchType":"JSONPatch","patch":")";
  AppendBase64(out, patch);
  out += '"';
}

void AppendWarnings(std::string& out, const std::vector<std::string>& warnings) {
  out += R"(,"warnings":[)";
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonString(out, warnings[i]);
  }
  out += ']';
}

void AppendAudit(std::string& out, const std::vector<AuditAnnotation>& audit) {
  out += R"(,"auditAnnotations":{)";
  for (std::size_t i = 0; i < audit.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonString(out, audit[i].key);
    out += ':';
    AppendJsonString(out, audit[i].value);
  }
  out += '}';
}

}  // namespace

std::string_view Name(Operation operation) {
  static constexpr std::array<std::string_view, 5> kNames = {"CREATE", "UPDATE", "DELETE",
                                                             "CONNECT", "OTHER"};
  return kNames[static_cast<std::size_t>(operation)];
}

Result<AdmissionRequest> DecodeReview(JsonView root) {
  if (std::optional<Error> fault = Fault(root)) return *std::move(fault);
  const JsonView json = root["request"];
  AdmissionRequest request;
  request.api_version = root["apiVersion"].StringOr("");
  request.uid = json["uid"].StringOr("");
  const JsonView kind = json["kind"];
  request.kind = {kind["group"].StringOr(""), kind["version"].StringOr(""),
                  kind["kind"].StringOr("")};
  request.resource = json["resource"]["resource"].StringOr("");
  request.sub_resource = json["subResource"].StringOr("");
  request.name = json["name"].StringOr("");
  request.namespace_name = json["namespace"].StringOr("");
  request.operation = OperationOf(json["operation"].StringOr(""));
  request.dry_run = json["dryRun"].IsTrue();
  request.object = ObjectOrAbsent(json["object"]);
  request.old_object = ObjectOrAbsent(json["oldObject"]);
  const bool writes =
      request.operation == Operation::kCreate || request.operation == Operation::kUpdate;
  if (writes && !request.object.present()) {
    return Error{"request.object is missing on " + std::string(Name(request.operation))};
  }
  return request;
}

void EncodeReview(const AdmissionRequest& request, const AdmissionResponse& response,
                  std::string& out) {
  out += R"({"apiVersion":")";
  out += request.api_version;  // one of two constants
  out += R"(","kind":"AdmissionReview","response":{"uid":)";
  AppendJsonString(out, request.uid);
  out += response.allowed ? R"(,"allowed":true)" : R"(,"allowed":false)";
  if (!response.allowed) {
    out += R"(,"status":{"status":"Failure","code":403,"reason":"Forbidden")";
    AppendField(out, "message", response.message);
    out += '}';
  }
  if (!response.patch.empty()) AppendPatch(out, response.patch);
  if (!response.warnings.empty()) AppendWarnings(out, response.warnings);
  if (!response.audit.empty()) AppendAudit(out, response.audit);
  out += "}}";
}

}  // namespace tpu_admission::k8s
