// Reading the API server's JSON: whatever is missing or of another type reads as nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/kube/json_bounds.h"

namespace tpu_admission::controller {

using Json = nlohmann::json;

// The value at a JSON pointer, or null.
inline const Json& At(const Json& object TPU_ADMISSION_LIFETIME_BOUND, std::string_view pointer) {
  static const Json kNull;
  const Json::json_pointer path{std::string(pointer)};
  return object.contains(path) ? object.at(path) : kNull;
}

// The string at a JSON pointer, or "".
inline std::string TextAt(const Json& object, std::string_view pointer) {
  const Json& value = At(object, pointer);
  return value.is_string() ? value.get<std::string>() : "";
}

inline Json ParseJson(const std::string& text) { return kube::ParseJson<Json>(text); }

// Invalid UTF-8 never throws: it came from the API server, which has none.
inline std::string DumpJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tpu_admission::controller
