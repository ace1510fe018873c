// How a scalar is taken out of the text of a YAML file, or another put in its place. What others
// say stays; the comment in the lines of a key that is taken out goes with it. Nothing where a
// comment stands in the middle of what is written anew.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tpu_admission/base/yaml.h"
#include "tpu_admission/offline/text_edit.h"

namespace tpu_admission::offline {

// A scalar and the map that it is in.
struct Scalar {
  const YamlNode* map = nullptr;
  const YamlMember* member = nullptr;
};

bool HasComment(std::string_view text);

// Takes a scalar out of its map: the lines that it has to itself, or what is between the commas.
std::optional<TextChange> Removal(std::string_view text, const Scalar& scalar);

// Puts `written` where a scalar is. The comment behind the | or > of a text of several lines stays.
std::optional<TextChange> Replacement(std::string_view text, const YamlNode& scalar,
                                      std::string written);

}  // namespace tpu_admission::offline
