// libyaml counts characters; people's editors count lines and columns, and patches count bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission::yaml {

// Turns libyaml's marks into ours. Borrows `text`, which is valid UTF-8 and begins at `start` of
// the whole.
class Marks {
 public:
  Marks(std::string_view text, const YamlMark& start);

  // `character`, `line` and `column` count from 0, as libyaml does.
  YamlMark At(std::size_t character, std::size_t line, std::size_t column) const;
  YamlMark AtByte(std::size_t offset) const;
  // The byte of the text, not of the whole.
  std::size_t ByteOf(std::size_t character) const;

 private:
  std::string_view text_;
  YamlMark start_;
  std::vector<std::size_t> strides_;  // byte of every kStride-th character; empty if all is ASCII
  std::optional<LineIndex> lines_;    // where libyaml's lines are not those of editors
};

}  // namespace tpu_admission::yaml
