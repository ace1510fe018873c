// What the API server is to send us: rules and matchConditions of both webhook configurations,
// worked out from the kind table.
#pragma once

#include <string>

#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::webhooks {

// YAML, as the chart's files/webhooks.yaml: `mutating` and `validating`, each with `rules` and
// `matchConditions`. The user's own kinds are sent whole. Pure.
std::string Configuration(const workload::KindTable& kinds);

}  // namespace tpu_admission::webhooks
