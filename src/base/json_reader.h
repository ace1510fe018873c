// JSON text -> a Builder. kubectl reads what begins as JSON as JSON: pairs of surrogates in
// strings, tabs, and one value after the other are no YAML.
#pragma once

#include <string_view>

#include "base/yaml_builder.h"

namespace tpu_admission::yaml {

// Reads values from `text` (valid UTF-8, at `start` of the whole) until one is no JSON, or at
// fault. Returns where that one begins, or the end of the text.
YamlMark ReadJson(std::string_view text, const YamlMark& start, Builder& builder);

}  // namespace tpu_admission::yaml
