// A line of the user's file with a caret under a value, as a terminal shows it.
#pragma once

#include <string>
#include <string_view>

#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

// "   18 |   google.com/tpu: 8\n      |                   ^\n"; nothing if the text has no such
// line. At most kExcerptColumns of the line are shown, those around the value; tabs are one blank,
// and what is invisible is U+FFFD. `before` and `after` the caret: escape sequences.
inline constexpr std::size_t kExcerptColumns = 96;
std::string Excerpt(std::string_view text, const Span& place, std::string_view before = "",
                    std::string_view after = "");

}  // namespace tpu_admission::offline
