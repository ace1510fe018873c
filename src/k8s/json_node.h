// The tree behind JsonView: compact, in an arena, never changed after it is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tpu_admission::k8s {

struct JsonNode {
  enum class Kind : std::uint8_t {
    kNull,
    kTrue,
    kFalse,
    kInteger,
    kDouble,
    kString,
    kArray,   // `size` nodes at `children`
    kObject,  // 2 * `size` nodes at `children`: key, value, key, value, ...
  };

  union {
    std::int64_t integer = 0;
    double number;
    const char* text;
    const JsonNode* children;
  };
  std::uint32_t size = 0;
  Kind kind = Kind::kNull;

  std::string_view string() const { return {text, size}; }
};
static_assert(sizeof(JsonNode) == 16);

}  // namespace tpu_admission::k8s
