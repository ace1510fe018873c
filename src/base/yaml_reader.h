// YAML text -> trees of nodes, by libyaml's events.
#pragma once

#include <string_view>
#include <vector>

#include "base/yaml_node.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::yaml {

// All documents of `text`, which is valid UTF-8 without a byte order mark; `skipped` bytes stood
// before it. Errors begin with "LINE:COLUMN: ".
Result<std::vector<Document>> ReadDocuments(std::string_view text, std::size_t skipped,
                                            std::size_t max_depth);

}  // namespace tpu_admission::yaml
