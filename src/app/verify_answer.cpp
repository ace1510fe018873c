#include "app/verify_answer.h"

#include "tpu_admission/admission/handler.h"

namespace tpu_admission::app {
namespace {

using admission::Endpoint;

constexpr std::string_view kDenial = "\"validate.tpu-admission.io\" denied the request";

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

Heard Hear(const kube::Answer& answer) {
  Heard heard;
  for (const std::string& warning : answer.warnings) {
    heard.mutating |= Has(warning, admission::SignOfLife(Endpoint::kMutate));
    heard.validating |= Has(warning, admission::SignOfLife(Endpoint::kValidate));
    if (Has(warning, kVerifyRule) && !Has(warning, "ValidatingAdmissionPolicy")) {
      heard.verdict = Verdict::kWarning;
    }
  }
  if (Has(answer.error, kDenial) && Has(answer.error, kVerifyRule)) {
    heard.verdict = Verdict::kDenial;
  }
  return heard;
}

}  // namespace tpu_admission::app
