// A tree of YAML nodes -> JSON text and the place of every value.
#pragma once

#include <cstddef>

#include "base/yaml_node.h"
#include "tpu_admission/base/result.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission::yaml {

// What is left of the limits for the documents to come. Aliases make much out of little text: much
// JSON, many pointers in `places`, or (merges whose keys are all taken) nothing but work.
struct Budget {
  std::size_t json_bytes = 0;
  std::size_t pointer_bytes = 0;
  std::size_t aliased_values = 0;
  std::size_t max_depth = 0;
};

// Errors begin with "LINE:COLUMN: ". Takes what it used off `budget`.
Result<YamlDocument> WriteJson(const Document& document, Budget& budget);

}  // namespace tpu_admission::yaml
