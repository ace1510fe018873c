// Edits of a YAML or JSON text that leave everything else as it was written: comments, order,
// quotes and indentation.
//
// Pure. An edit is made only if the edited text reads as exactly the edited tree; anchors, merge
// keys and the like that stand in the way are an error, never a wrong file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/base/yaml.h"
#include "tpu_admission/k8s/json_edit.h"

namespace tpu_admission::offline {

// Bytes [begin, end) of a text become `text`.
struct TextChange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

// The changes that make `edits` (additions, replacements and removals of scalars) of a document,
// counted from 0, in the order of the text, which `stream` was read from. Takes time by the size of
// the document, not of the text.
Result<std::vector<TextChange>> ChangesOf(std::string_view text, const YamlStream& stream,
                                          std::size_t document, std::vector<k8s::JsonEdit> edits);
std::string Changed(std::string_view text, const std::vector<TextChange>& changes);

}  // namespace tpu_admission::offline
