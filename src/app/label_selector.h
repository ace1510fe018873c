// A LabelSelector of Kubernetes: matchLabels and matchExpressions, all of which must hold.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tpu_admission/base/result.h"

namespace tpu_admission::app {

// Whether `selector` (JSON text; "" selects everything) selects an object with the labels, an
// object of strings. An error if the selector cannot be read.
Result<bool> Selects(const std::string& selector, const nlohmann::json& labels);

}  // namespace tpu_admission::app
