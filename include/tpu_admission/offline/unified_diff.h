// What people read of a changed text. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tpu_admission::offline {

// The unified diff of two texts, with three lines of context; empty if they are equal. `name` is
// that of the file.
std::string UnifiedDiff(std::string_view name, std::string_view before, std::string_view after);

}  // namespace tpu_admission::offline
