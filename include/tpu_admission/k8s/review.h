// AdmissionReview of admission.k8s.io/v1 (and v1beta1, whose request differs in nothing we read):
// the request that the API server sends and the response it accepts.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/k8s/gvk.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::k8s {

enum class Operation { kCreate, kUpdate, kDelete, kConnect, kOther };
std::string_view Name(Operation operation);  // "CREATE", ..., "OTHER"

// Views into the review's JSON.
struct AdmissionRequest {
  static constexpr std::size_t kMaxUidBytes = 256;

  std::string_view api_version;  // of the review; the answer carries the same
  std::string_view uid;          // 1 to kMaxUidBytes bytes
  GroupVersionKind kind;
  std::string_view resource;  // "pods"
  std::string_view sub_resource;
  std::string_view name;  // may be empty: generateName, delete collection
  std::string_view namespace_name;
  Operation operation = Operation::kOther;
  bool dry_run = false;
  JsonView object;      // absent on DELETE and CONNECT (a literal null becomes absent)
  JsonView old_object;  // absent on CREATE and CONNECT
};

// An error says, in one line, why this is no review that can be answered (HTTP 400).
Result<AdmissionRequest> DecodeReview(JsonView root);

struct AuditAnnotation {
  std::string
      key;  // 1-63 characters of [A-Za-z0-9._-]; the API server puts the webhook's name before it
  std::string value;
};

struct AdmissionResponse {
  bool allowed = true;
  std::string message;  // of a denial; shown after 'admission webhook "..." denied the request: '
  std::vector<std::string> warnings;  // one line each
  std::string patch;                  // RFC 6902 as JSON text; empty: no patch
  std::vector<AuditAnnotation> audit;
};

// Appends the AdmissionReview that answers `request` to `out`. A denial is 403 Forbidden with all
// text in `message`: with 422 and details.causes kubectl would hide the message.
void EncodeReview(const AdmissionRequest& request, const AdmissionResponse& response,
                  std::string& out);

}  // namespace tpu_admission::k8s
