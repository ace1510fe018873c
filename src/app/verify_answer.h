// What the API server's answers to `tpu-admission verify` show about us.
#pragma once

#include "tpu_admission/kube/api.h"

namespace tpu_admission::app {

// The rule that the wrong Pod of `verify` breaks.
inline constexpr std::string_view kVerifyRule = "TPU301";

enum class Verdict { kSilence, kWarning, kDenial };  // the hardest last

// What one answer shows. A warning of the API server's own policies that name the same rule
// (ValidatingAdmissionPolicy) is none of ours, and a denial by somebody else is silence of ours.
struct Evidence {
  bool mutating = false;  // the webhook was asked, and its answer was taken
  bool validating = false;
  Verdict verdict = Verdict::kSilence;  // about kVerifyRule
};
Evidence EvidenceIn(const kube::Answer& answer);

}  // namespace tpu_admission::app
