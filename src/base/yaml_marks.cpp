#include "base/yaml_marks.h"

#include <algorithm>
#include <cstdint>

#include "tpu_admission/base/text.h"

namespace tpu_admission::yaml {
namespace {

constexpr std::size_t kStride = 64;

// Ends of lines that only libyaml takes for such: U+0085, U+2028, U+2029.
bool HasOtherEnds(std::string_view text) {
  for (const std::string_view end : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    if (text.find(end) != text.npos) return true;
  }
  return false;
}

}  // namespace

Marks::Marks(std::string_view text, const YamlMark& start) : text_(text), start_(start) {
  if (AsciiPrefixBytes(text) == text.size()) return;
  std::size_t character = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsContinuation(text[i])) continue;
    if (character++ % kStride == 0) strides_.push_back(i);
  }
  if (HasOtherEnds(text)) lines_.emplace(text, start);
}

std::size_t Marks::ByteOf(std::size_t character) const {
  if (strides_.empty()) return std::min(character, text_.size());
  if (character / kStride >= strides_.size()) return text_.size();
  std::size_t byte = strides_[character / kStride];
  for (std::size_t left = character % kStride; left > 0 && byte < text_.size(); --left) {
    do {
      ++byte;
    } while (byte < text_.size() && IsContinuation(text_[byte]));
  }
  return byte;
}

YamlMark Marks::At(std::size_t character, std::size_t line, std::size_t column) const {
  if (lines_) return lines_->At(ByteOf(character));
  const std::size_t before = line == 0 ? start_.column : 1;
  return YamlMark{static_cast<std::uint32_t>(start_.line + line),
                  static_cast<std::uint32_t>(before + column), start_.offset + ByteOf(character)};
}

YamlMark Marks::AtByte(std::size_t offset) const {
  return Advanced(start_, text_.substr(0, offset));
}

}  // namespace tpu_admission::yaml
