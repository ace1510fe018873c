// Comments on lines of their own, and what of the YAML text they belong to.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tpu_admission::offline {

// Where the lines begin that belong to the key at `key`, the first of its line: its own, and those
// of the comments above it. Nothing if something else stands before the key, such as a dash.
std::optional<std::size_t> BeginWithComments(std::string_view text, std::size_t key);

// The end of the comments behind `end` that belong to what ends there: they are at least as deep as
// `least_column`. `end` itself if there are none.
std::size_t BehindComments(std::string_view text, std::size_t end, std::size_t least_column);

}  // namespace tpu_admission::offline
