#include "tpu_admission/admission/handler.h"

#include <algorithm>
#include <array>

#include "admission/patch.h"

namespace tpu_admission::admission {
namespace {

using k8s::AdmissionRequest;
using k8s::AdmissionResponse;
using k8s::Operation;
using rules::Mode;

// kubectl prints each warning on a line; more would bury the first.
constexpr std::size_t kMaxWarnings = 10;

// Subresources (status, scale, ephemeralcontainers, ...) carry no pod that is about to be placed.
bool IsOurs(const AdmissionRequest& request) {
  const bool writes =
      request.operation == Operation::kCreate || request.operation == Operation::kUpdate;
  return writes && request.sub_resource.empty() &&
         !request.object["metadata"]["deletionTimestamp"].has_value();
}

bool IsV1Pod(const AdmissionRequest& request) {
  return request.kind.group.empty() && request.kind.version == "v1" && request.kind.kind == "Pod";
}

bool HasTpuToleration(k8s::JsonView pod) {
  const k8s::JsonView tolerations = pod["spec"]["tolerations"];
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (tolerations.Element(i)["key"].AsString() == workload::kTpuResource) return true;
  }
  return false;
}

// `kubectl apply` of a Pod that has tolerations of its own sends the whole list again, without the
// one we added, and the API server forbids taking a toleration away. So it is given back: the only
// patch of an UPDATE. (Kubernetes' own DefaultTolerationSeconds does the same.)
bool LosesToleration(const AdmissionRequest& request) {
  return request.operation == Operation::kUpdate && HasTpuToleration(request.old_object) &&
         !HasTpuToleration(request.object);
}

bool MayBePatched(const AdmissionRequest& request) {
  return IsV1Pod(request) && (request.operation == Operation::kCreate || LosesToleration(request));
}

bool MayBeFixedNow(const AdmissionRequest& request, const rules::Fix& fix) {
  return request.operation == Operation::kCreate ||
         std::holds_alternative<rules::AddToleration>(fix);
}

bool AsksForSignOfLife(const AdmissionRequest& request) {
  return request.dry_run &&
         request.object["metadata"]["annotations"][kVerifyAnnotation].StringOr("") == "true";
}

std::string NotChecked(const workload::Workload& workload) {
  return "not checked for TPU faults: " + std::string(workload.not_judged);
}

std::vector<std::string> Warnings(const Decision& decision, const workload::Workload& workload) {
  std::vector<std::string> warnings = decision.complaints;
  if (!workload.not_judged.empty()) warnings.push_back(NotChecked(workload));
  for (const workload::Slip& slip : workload.slips) warnings.push_back(slip.problem);
  for (const JudgedFinding& judged : decision.findings) {
    if (judged.mode == Mode::kWarn) warnings.push_back(Warning(judged.finding));
  }
  if (warnings.size() > kMaxWarnings) {
    const std::size_t more = warnings.size() - kMaxWarnings + 1;
    warnings.resize(kMaxWarnings - 1);
    warnings.push_back(std::to_string(more) +
                       " more TPU warnings; `tpu-admission check` shows all");
  }
  return warnings;
}

}  // namespace

std::string_view Name(Outcome outcome) {
  static constexpr std::array<std::string_view, kOutcomes> kNames = {
      "ignored", "allowed", "warned", "patched", "denied", "invalid"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string_view SignOfLife(Endpoint endpoint) {
  return endpoint == Endpoint::kMutate ? "mutate.tpu-admission.io answers"
                                       : "validate.tpu-admission.io answers";
}

Record Handler::Handle(Endpoint endpoint, std::string_view body, Day today, std::string& out) {
  arena_.Reset();
  Record record;
  Result<k8s::JsonView> root = parser_.Parse(body);
  if (!root) {
    record.error = root.error().message;
  } else if (Result<AdmissionRequest> request = k8s::DecodeReview(*root); !request) {
    record.error = request.error().message;
  } else {
    record.request = *request;
    AdmissionResponse response = Answer(endpoint, settings_.Get(), today, record);
    if (AsksForSignOfLife(record.request)) response.warnings.emplace_back(SignOfLife(endpoint));
    if (record.error.empty()) k8s::EncodeReview(record.request, response, out);
  }
  if (!record.error.empty()) {
    record.outcome = Outcome::kInvalid;
    out += record.error;
    out += '\n';
  }
  return record;
}

AdmissionResponse Handler::Answer(Endpoint endpoint, const Settings& settings, Day today,
                                  Record& record) {
  const AdmissionRequest& request = record.request;
  record.outcome = Outcome::kIgnored;
  if (const auto* kind = workload::FindKind(request.kind.group, request.kind.kind)) {
    record.kind = kind->name;
  }
  if (!IsOurs(request) || (endpoint == Endpoint::kMutate && !MayBePatched(request))) return {};
  const Result<workload::Workload> workload =
      workload::ReadWorkload(settings.policy.kinds(), request.kind, request.object, arena_);
  if (!workload) {
    record.error = "request.object cannot be read: " + workload.error().message;
    return {};
  }
  if (workload->too_large && endpoint == Endpoint::kValidate) {
    record.outcome = Outcome::kWarned;
    return {.message = "", .warnings = {NotChecked(*workload)}, .patch = "", .audit = {}};
  }
  if (workload->pod_sets.empty()) return {};
  record.outcome = Outcome::kAllowed;
  if (endpoint == Endpoint::kMutate) return Mutate(settings, *workload, record);
  if (IsV1Pod(request) && request.operation == Operation::kCreate && !request.dry_run) {
    record.chips = workload->pod_sets.front().chips_per_pod;
    record.accelerator = settings.engine.AcceleratorOf(workload->pod_sets.front());
  }
  return Validate(settings, *workload, today, record);
}

AdmissionResponse Handler::Mutate(const Settings& settings, const workload::Workload& workload,
                                  Record& record) {
  std::vector<rules::Fix> fixes;
  for (const rules::RuleFix& mend : settings.engine.Fixes(workload)) {
    if (!MayBeFixedNow(record.request, mend.fix)) continue;
    if (!settings.policy.FixOf(*mend.rule, record.request.namespace_name)) continue;
    fixes.push_back(mend.fix);
    JudgedFinding& fixed = record.findings.emplace_back();  // for the books: no text
    fixed.finding.rule = mend.rule;
    fixed.mode = Mode::kAudit;
  }
  AdmissionResponse response;
  response.patch = BuildPatch(record.request.object, fixes);
  if (response.patch.empty()) return response;
  record.outcome = Outcome::kPatched;
  response.audit.push_back({"patched", Summary(record.findings)});
  return response;
}

AdmissionResponse Handler::Validate(const Settings& settings, const workload::Workload& workload,
                                    Day today, Record& record) {
  const AdmissionRequest& request = record.request;
  const bool update = request.operation == Operation::kUpdate && request.old_object.present();
  if (update && workload::SamePodsAndCounts(*workload.kind, request.old_object, request.object)) {
    return {};
  }
  std::vector<rules::Finding> findings = settings.engine.Evaluate(workload);
  std::optional<Before> before =
      update && !findings.empty() ? JudgeBefore(settings, request, *workload.kind) : std::nullopt;
  Decision decision = Decide(std::move(findings), workload, settings.policy,
                             {request.namespace_name, today, std::move(before)});
  AdmissionResponse response;
  response.warnings = Warnings(decision, workload);
  if (!response.warnings.empty()) record.outcome = Outcome::kWarned;
  record.findings = std::move(decision.findings);
  if (record.findings.empty()) return response;
  response.allowed = !Denies(record.findings.front());
  if (!response.allowed) {
    response.message = DenialMessage(workload, record.findings, settings.docs_url);
  }
  if (!response.allowed) record.outcome = Outcome::kDenied;
  response.audit.push_back({"findings", Summary(record.findings)});
  if (std::string ignored = IgnoredSummary(record.findings); !ignored.empty()) {
    response.audit.push_back({"ignored", std::move(ignored)});
  }
  return response;
}

std::optional<Before> Handler::JudgeBefore(const Settings& settings,
                                           const AdmissionRequest& request,
                                           const workload::Kind& kind) {
  const Result<workload::Workload> old =
      workload::ReadWorkload(settings.policy.kinds(), request.kind, request.old_object, arena_);
  if (!old) return Before{};  // it was unreadable: nothing of it excuses the new one
  return Before{settings.engine.Evaluate(*old),
                workload::SamePods(kind, request.old_object, request.object)};
}

}  // namespace tpu_admission::admission
