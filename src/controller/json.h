// The API server's JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tpu_admission/base/json_tree.h"
#include "tpu_admission/kube/json_bounds.h"

namespace tpu_admission::controller {

using Json = nlohmann::json;

inline Json ParseJson(const std::string& text) { return kube::ParseJson<Json>(text); }

}  // namespace tpu_admission::controller
