#include "tpu_admission/kube/json_bounds.h"

#include <string>

namespace tpu_admission::kube {

Status WithinBounds(std::string_view text) {
  std::size_t depth = 0;
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    const bool opens = c == '[' || c == '{';
    if (opens && ++depth > kMostJsonDepth) return Error{"the JSON is nested too deep"};
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if ((opens || c == ',' || c == ':') && ++values > kMostJsonValues) {
      return Error{"the JSON has more than " + std::to_string(kMostJsonValues) + " values"};
    }
  }
  return OkStatus();
}

}  // namespace tpu_admission::kube
