// What `check` says of a text, by the built-in catalog and all rules.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/settings.h"
#include "tpu_admission/offline/check.h"

namespace tpu_admission::support {

inline offline::FileReport Check(std::string text, const offline::RuleChoice& rules = {},
                                 std::string file = "a.yaml") {
  return offline::CheckText(StandardSettings(), {"", {2026, 11, 22}, rules}, std::move(file),
                            std::move(text));
}

// Of the objects in it: "LINE: text".
inline std::vector<std::string> WarningsOf(std::string text) {
  std::vector<std::string> told;
  for (const offline::ObjectReport& object : Check(std::move(text)).objects) {
    for (const offline::Note& note : object.warnings) {
      told.push_back(std::to_string(note.place.line) + ": " + note.text);
    }
  }
  return told;
}

}  // namespace tpu_admission::support
