// A changed copy of JSON that somebody sent: the tree itself never changes, and what an edit does
// not touch is shared with the copy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::k8s {

using JsonScalar = std::variant<std::int64_t, std::string>;

// One change: the value at a pointer, or its removal.
struct JsonEdit {
  std::string pointer;              // RFC 6901
  std::optional<JsonScalar> value;  // nothing: the member is removed
  std::string_view name = {};       // where the pointer does not say it: a constant

  friend bool operator==(const JsonEdit&, const JsonEdit&) = default;
};

// `root` with all edits made, one after the other. Maps that are missing on the way are made; an
// edit whose way leads through a scalar or past the end of a list changes nothing. The copy lives
// as long as the arena, `root` and `edits`.
JsonView Edited(JsonView root, std::span<const JsonEdit> edits, Arena& arena);

// The edits with what they replace, as JSON text: [{"pointer": "/a", "old": 2, "new": 4}]. `old` is
// left out where nothing stands or a list or map does, `new` where the member is removed.
std::string AsChanges(JsonView root, std::span<const JsonEdit> edits);

// The value at `pointer`; absent if there is none.
JsonView At(JsonView root, std::string_view pointer);

// The edits as an RFC 6902 patch of `root`, as JSON text. Maps that are missing are added first.
std::string AsPatch(JsonView root, std::span<const JsonEdit> edits);

// A scalar as JSON text.
std::string AsJson(const JsonScalar& scalar);

}  // namespace tpu_admission::k8s
