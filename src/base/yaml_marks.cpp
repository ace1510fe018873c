#include "base/yaml_marks.h"

#include <algorithm>
#include <cstdint>

#include "tpu_admission/base/text.h"

namespace tpu_admission::yaml {
namespace {

constexpr std::size_t kStride = 64;

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

Marks::Marks(std::string_view text, const YamlMark& start) : text_(text), start_(start) {
  if (AsciiPrefixBytes(text) == text.size()) return;
  std::size_t character = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (Continues(text[i])) continue;
    if (character++ % kStride == 0) strides_.push_back(i);
  }
}

std::size_t Marks::ByteOf(std::size_t character) const {
  if (strides_.empty()) return std::min(character, text_.size());
  if (character / kStride >= strides_.size()) return text_.size();
  std::size_t byte = strides_[character / kStride];
  for (std::size_t left = character % kStride; left > 0 && byte < text_.size(); --left) {
    do {
      ++byte;
    } while (byte < text_.size() && Continues(text_[byte]));
  }
  return byte;
}

YamlMark Marks::At(std::size_t character, std::size_t line, std::size_t column) const {
  const std::size_t before = line == 0 ? start_.column : 1;
  return YamlMark{static_cast<std::uint32_t>(start_.line + line),
                  static_cast<std::uint32_t>(before + column), start_.offset + ByteOf(character)};
}

YamlMark Marks::AtByte(std::size_t offset) const {
  return Advanced(start_, text_.substr(0, offset));
}

YamlMark Advanced(YamlMark start, std::string_view text) {
  start.offset += text.size();
  const std::size_t last = text.rfind('\n');
  if (last != text.npos) {
    start.line += static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    start.column = 1;
    text.remove_prefix(last + 1);
  }
  start.column += static_cast<std::uint32_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !Continues(c); }));
  return start;
}

}  // namespace tpu_admission::yaml
