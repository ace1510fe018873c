// Members of JSON that an API server sent, where nothing is certain to be there: for nlohmann's
// types, ordered or not.
#pragma once

#include <string>

namespace tpu_admission::cluster {

// The member `key`; null if there is none, or `json` is no map. Lives as long as `json`.
template <typename Json>
const Json& Member(const Json& json, const char* key) {
  static const Json kNull;
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found == json.end() ? kNull : *found;
}

// The same if it is a string; empty otherwise.
template <typename Json>
std::string TextOf(const Json& json, const char* key) {
  const Json& value = Member(json, key);
  return value.is_string() ? value.template get<std::string>() : std::string();
}

}  // namespace tpu_admission::cluster
