#include "tpu_admission/admission/handler.h"

#include <algorithm>
#include <array>

#include "admission/patch.h"
#include "tpu_admission/admission/repairs.h"
#include "tpu_admission/base/text.h"

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
  return writes && request.sub_resource.empty();
}

bool IsV1Pod(const AdmissionRequest& request) {
  return request.kind.group.empty() && request.kind.version == "v1" && request.kind.kind == "Pod";
}

// The one that we add, or, with `any`, another of the same key.
bool HasTpuToleration(k8s::JsonView pod, bool any) {
  const k8s::JsonView tolerations = pod["spec"]["tolerations"];
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const k8s::JsonView each = tolerations.Element(i);
    if (each["key"].AsString() != workload::kTpuResource) continue;
    if (any ||
        (each["operator"].AsString() == "Exists" && each["effect"].AsString() == "NoSchedule")) {
      return true;
    }
  }
  return false;
}

// `kubectl apply` of a Pod that has tolerations of its own sends the whole list again, without the
// one we added, and the API server forbids taking a toleration away. So it is given back: the only
// patch of an UPDATE. (Kubernetes' own DefaultTolerationSeconds does the same.)
bool LosesToleration(const AdmissionRequest& request) {
  return request.operation == Operation::kUpdate &&
         HasTpuToleration(request.old_object, /*any=*/false) &&
         !HasTpuToleration(request.object, /*any=*/true);
}

bool MayBePatched(const AdmissionRequest& request) {
  return IsV1Pod(request) && !request.object["metadata"]["deletionTimestamp"].has_value() &&
         (request.operation == Operation::kCreate || LosesToleration(request));
}

bool MayBeFixedNow(const AdmissionRequest& request, const rules::Fix& fix) {
  return request.operation == Operation::kCreate ||
         std::holds_alternative<rules::AddToleration>(fix);
}

bool AsksForSignOfLife(const AdmissionRequest& request) {
  return request.dry_run &&
         request.object["metadata"]["annotations"][kVerifyAnnotation].StringOr("") == "true";
}

std::string NotCheckedBecause(std::string_view why) {
  return std::string("not checked for TPU faults: ").append(why);
}

std::vector<std::string> Warnings(const Judgement& judgement) {
  const workload::Workload& workload = judgement.workload;
  std::vector<std::string> warnings = judgement.decision.complaints;
  if (!workload.not_judged.empty()) warnings.push_back(NotCheckedBecause(workload.not_judged));
  for (const workload::Slip& slip : workload.slips)
    warnings.push_back(Cut(slip.problem, kWarningBytes));
  for (const JudgedFinding& judged : judgement.decision.findings) {
    if (judged.mode == Mode::kWarn) warnings.push_back(Warning(judged.finding, judged.more));
  }
  if (warnings.size() > kMaxWarnings) {
    const std::size_t more = warnings.size() - kMaxWarnings + 1;
    warnings.resize(kMaxWarnings - 1);
    warnings.push_back(std::to_string(more) +
                       " more TPU warnings; `tpu-admission check` shows all");
  }
  return warnings;
}

AdmissionResponse Invalid(std::string why, Record& record) {
  record.outcome = Outcome::kInvalid;
  record.error = std::move(why);
  return {};
}

AdmissionResponse NotChecked(const std::string& why) {
  AdmissionResponse response;
  response.warnings.push_back(NotCheckedBecause(why));
  response.audit.push_back({"not-checked", why});
  return response;
}

// `repairs` is asked only for a denial.
template <typename Repairs>
AdmissionResponse Told(const Judgement& judgement, const std::string& docs_url, Repairs repairs) {
  const std::vector<JudgedFinding>& findings = judgement.decision.findings;
  AdmissionResponse response;
  response.warnings = Warnings(judgement);
  if (findings.empty()) return response;
  response.allowed = !Denies(findings.front());
  if (!response.allowed) {
    response.message = DenialMessage(judgement.workload, findings, repairs(), docs_url);
  }
  for (auto [key, value] : {std::pair("findings", Summary(findings)),
                            std::pair("would-deny", WouldDenySummary(findings)),
                            std::pair("ignored", IgnoredSummary(findings)),
                            std::pair("skipped", SkippedSummary(findings))}) {
    if (!value.empty()) response.audit.push_back({key, std::move(value)});
  }
  return response;
}

}  // namespace

std::string_view Name(Outcome outcome) {
  static constexpr std::array<std::string_view, kOutcomes> kNames = {
      "ignored", "allowed", "warned", "patched", "denied", "not_checked", "invalid"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string_view SignOfLife(Endpoint endpoint) {
  return endpoint == Endpoint::kMutate ? "mutate.tpu-admission.io answers"
                                       : "validate.tpu-admission.io answers";
}

Record Handler::Handle(Endpoint endpoint, std::string_view body, Day today, std::string& out) {
  arena_.Reset();
  Record record;  // kInvalid, until it is known what was asked
  Result<k8s::JsonView> root = parser_.Parse(body);
  if (!root) {
    record.error = root.error().message;
  } else if (Result<AdmissionRequest> request = k8s::DecodeReview(*root); !request) {
    record.error = request.error().message;
  } else {
    record.request = *request;
    AdmissionResponse response = Answer(endpoint, settings_.Get(), today, record);
    if (AsksForSignOfLife(record.request)) response.warnings.emplace_back(SignOfLife(endpoint));
    if (record.outcome != Outcome::kInvalid) k8s::EncodeReview(record.request, response, out);
  }
  if (record.outcome == Outcome::kInvalid) out.append(record.error).append("\n");
  return record;
}

void Handler::Release() {
  parser_.Release();
  arena_.Reset();
}

AdmissionResponse Handler::Answer(Endpoint endpoint, const Settings& settings, Day today,
                                  Record& record) {
  const AdmissionRequest& request = record.request;
  record.outcome = Outcome::kIgnored;
  if (const auto* kind = workload::FindKind(request.kind.group, request.kind.kind)) {
    record.kind = kind->name;
  }
  if (!IsOurs(request)) return {};
  return endpoint == Endpoint::kMutate ? Mutate(settings, record)
                                       : Validate(settings, today, record);
}

AdmissionResponse Handler::Mutate(const Settings& settings, Record& record) {
  const AdmissionRequest& request = record.request;
  if (!MayBePatched(request)) return {};
  const Result<workload::Workload> pod =
      workload::ReadWorkload(settings.policy.kinds(), request.kind, request.object, arena_);
  if (!pod) return Invalid(pod.error().message, record);
  if (pod->pod_sets.empty()) return {};
  record.outcome = Outcome::kAllowed;
  std::vector<rules::RuleFix> mends =
      settings.engine.Fixes(*pod, settings.FixingRules(request.namespace_name));
  std::vector<rules::Fix> fixes;
  fixes.reserve(mends.size());
  record.findings.reserve(mends.size());
  for (rules::RuleFix& mend : mends) {
    if (!MayBeFixedNow(request, mend.fix)) continue;
    fixes.push_back(std::move(mend.fix));
    JudgedFinding& fixed = record.findings.emplace_back();  // for the books: no text
    fixed.finding.rule = mend.rule;
    fixed.mode = fixed.would_be = Mode::kAudit;
  }
  AdmissionResponse response;
  response.patch = BuildPatch(request.object, fixes);
  if (response.patch.empty()) return response;
  record.outcome = Outcome::kPatched;
  response.audit.push_back({"patched", PatchedSummary(record.findings)});
  return response;
}

AdmissionResponse Handler::Validate(const Settings& settings, Day today, Record& record) {
  const AdmissionRequest& request = record.request;
  const bool update = request.operation == Operation::kUpdate;
  const Submission submission = {request.kind, request.object,
                                 update ? request.old_object : k8s::JsonView(),
                                 request.namespace_name, today};
  Judgement judgement = Judge(settings, submission, arena_);
  switch (judgement.state) {
    case Judgement::State::kNotOurs:
      return {};
    case Judgement::State::kUnreadable:
      return Invalid(std::move(judgement.reason), record);
    case Judgement::State::kNotChecked:
      record.outcome = Outcome::kNotChecked;
      record.error = std::move(judgement.reason);
      return NotChecked(record.error);
    case Judgement::State::kJudged:
      break;
  }
  if (IsV1Pod(request) && !update && !request.dry_run) {
    const workload::PodSet& pod = judgement.workload.pod_sets.front();
    record.chips = pod.chips_per_pod;
    record.accelerator = settings.engine.AcceleratorOf(pod);
  }
  AdmissionResponse response = Told(judgement, settings.docs_url, [&] {
    return RepairsOf(settings, submission, judgement, arena_);
  });
  record.outcome = !response.allowed            ? Outcome::kDenied
                   : !response.warnings.empty() ? Outcome::kWarned
                                                : Outcome::kAllowed;
  record.findings = std::move(judgement.decision.findings);
  return response;
}

}  // namespace tpu_admission::admission
