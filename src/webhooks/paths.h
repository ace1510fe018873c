// The paths of the kind table as CEL.
#pragma once

#include <string>
#include <string_view>

namespace tpu_admission::webhooks {

// "object", "spec/template" -> "object.?spec.?template"
std::string Steps(std::string_view base, std::string_view path);

// A list that may be absent or null, as one that is neither.
std::string ListOf(std::string_view optional_list);

// What stands at a path: an optional, or a list of optionals where the path goes through a list
// ("[]") or a map ("{}"). One of the two is empty.
struct Places {
  std::string one;
  std::string list;
};
Places PlacesAt(std::string_view path);

}  // namespace tpu_admission::webhooks
