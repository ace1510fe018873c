// Trees of JSON that somebody else sent, where nothing is certain to be there: for nlohmann's
// types, ordered or not.
#pragma once

#include <string>
#include <string_view>

#include "tpu_admission/base/lifetime.h"

namespace tpu_admission {

// The value at a JSON pointer, or null.
template <typename Json>
const Json& At(const Json& json TPU_ADMISSION_LIFETIME_BOUND, std::string_view pointer) {
  static const Json kNull;
  const typename Json::json_pointer path{std::string(pointer)};
  return json.contains(path) ? json.at(path) : kNull;
}

// The string at a JSON pointer, or "".
template <typename Json>
std::string TextAt(const Json& json, std::string_view pointer) {
  const Json& value = At(json, pointer);
  return value.is_string() ? value.template get<std::string>() : std::string();
}

// In one line, or by so many blanks a level. Bytes that are no UTF-8 become U+FFFD, for the writer
// would throw.
template <typename Json>
std::string Dumped(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tpu_admission
