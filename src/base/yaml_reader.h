// libyaml's events -> a Builder.
#pragma once

#include <string_view>

#include "base/yaml_builder.h"

namespace tpu_admission::yaml {

// Reads the documents of `text`, which is valid UTF-8 and begins at `start` of the whole. Stops at
// the first fault.
void ReadDocuments(std::string_view text, const YamlMark& start, Builder& builder);

}  // namespace tpu_admission::yaml
