#include "app/verify_answer.h"

#include "tpu_admission/admission/handler.h"

namespace tpu_admission::app {
namespace {

using admission::Endpoint;

constexpr std::string_view kDenial = "\"validate.tpu-admission.io\" denied the request";

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

Evidence EvidenceIn(const kube::Answer& answer) {
  Evidence evidence;
  for (const std::string& warning : answer.warnings) {
    evidence.mutating |= Has(warning, admission::SignOfLife(Endpoint::kMutate));
    evidence.validating |= Has(warning, admission::SignOfLife(Endpoint::kValidate));
    if (Has(warning, kVerifyRule) && !Has(warning, "ValidatingAdmissionPolicy")) {
      evidence.verdict = Verdict::kWarning;
    }
  }
  if (Has(answer.error, kDenial) && Has(answer.error, kVerifyRule)) {
    evidence.verdict = Verdict::kDenial;
  }
  return evidence;
}

}  // namespace tpu_admission::app
