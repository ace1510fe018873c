// That a changed text reads as the edited tree.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tpu_admission/base/yaml.h"
#include "tpu_admission/offline/text_edit.h"

namespace tpu_admission::offline {

// The item of a list (the text, or its `items`) that the pointer leads into: how many of its bytes
// name it. 0: it leads into none.
std::size_t ItemBytes(std::string_view pointer);
// The same of the innermost item, where lists stand in lists.
std::size_t InnermostItemBytes(std::string_view pointer);

// Whether each document of `text` is that of `before` with its edits.
bool ReadsAs(const YamlStream& before, std::string_view text,
             const std::vector<DocumentEdits>& edits);

}  // namespace tpu_admission::offline
