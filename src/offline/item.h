// Whatever is told of a file as one list: what the formats of CI are made of.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

enum class Level { kError, kWarning };

struct Item {
  std::string_view file;
  Span place;  // of a file that Helm rendered, the first line of its template
  Level level = Level::kError;
  std::string check;    // "<id> chips-per-host", "unreadable", "not-checked"
  std::string message;  // summary and change, one line
  std::string details;  // the paragraph
  std::string fingerprint;
};

// All that is told and not ignored, in the order of the objects. Views of the item live as long as
// the call.
void ForEachItem(const FileReport& report, const std::function<void(const Item&)>& each);

}  // namespace tpu_admission::offline
