// libyaml counts characters; people's editors count lines and columns, and patches count bytes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tpu_admission/base/yaml.h"

namespace tpu_admission::yaml {

// Turns libyaml's marks into ours. Borrows `text`, which is valid UTF-8; `skipped` bytes stood
// before it (a byte order mark).
class Marks {
 public:
  Marks(std::string_view text, std::size_t skipped);

  // `character`, `line` and `column` count from 0, as libyaml does.
  YamlMark At(std::size_t character, std::size_t line, std::size_t column) const;

 private:
  std::size_t ByteOf(std::size_t character) const;

  std::string_view text_;
  std::size_t skipped_;
  std::vector<std::size_t> strides_;  // byte of every kStride-th character; empty if all is ASCII
};

// Line and column of the byte at `offset`.
YamlMark MarkOfByte(std::string_view text, std::size_t offset);

}  // namespace tpu_admission::yaml
