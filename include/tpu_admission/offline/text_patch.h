// Values added to a YAML or JSON text: what text_edit.h is for scalars that change.
//
// Pure. Everything that is there stays as it was written, and a patch is made only if the text then
// reads as exactly the patched tree; else it is an error.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/base/yaml.h"
#include "tpu_admission/offline/text_edit.h"

namespace tpu_admission::offline {

// The changes that make an RFC 6902 patch (JSON text) of the value at `pointer` of a document of
// `stream`, which was read from `text`. Of its operations only `add` is taken.
Result<std::vector<TextChange>> PatchText(std::string_view text, const YamlStream& stream,
                                          std::size_t document, std::string_view pointer,
                                          std::string_view patch);

// A patch as above.
struct TextPatch {
  std::string_view pointer;
  std::string_view operations;
};

// Why a patch cannot be made.
struct PatchProblem {
  std::optional<std::size_t> patch;  // its place among them; nothing: of all that are left
  std::string text;
};

struct PatchedText {
  std::vector<TextChange> changes;  // in the order of the text
  std::vector<PatchProblem> problems;
};

// The changes of the patches that go together; of two that meet the first. Reads the document once,
// and again only to find the patches that it does not take.
PatchedText PatchText(std::string_view text, const YamlStream& stream, std::size_t document,
                      std::span<const TextPatch> patches);

}  // namespace tpu_admission::offline
