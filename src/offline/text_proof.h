// That a changed text reads as the edited tree.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tpu_admission/base/yaml.h"
#include "tpu_admission/k8s/json_edit.h"

namespace tpu_admission::offline {

// The item of a list (the text, or its `items`) that the pointer leads into: how many of its bytes
// name it. 0: it leads into none.
std::size_t ItemBytes(std::string_view pointer);
// The same of the innermost item, where lists stand in lists.
std::size_t InnermostItemBytes(std::string_view pointer);

// Whether `text` has one document, as `before` has, and it is that one with the edits.
bool ReadsAs(const YamlStream& before, std::string_view text,
             const std::vector<k8s::JsonEdit>& edits);

}  // namespace tpu_admission::offline
