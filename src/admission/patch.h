// Fixes as a JSON patch.
#pragma once

#include <span>
#include <string>

#include "tpu_admission/k8s/json.h"
#include "tpu_admission/rules/rule.h"

namespace tpu_admission::admission {

// An RFC 6902 patch that applies to `pod` and carries out `fixes`; empty if there are none. Only
// `add`, and only where the pod has nothing (or, for dnsPolicy, the API server's default): applied
// twice it changes nothing, because the second time there is nothing to fix.
std::string BuildPatch(k8s::JsonView pod, std::span<const rules::Fix> fixes);

}  // namespace tpu_admission::admission
