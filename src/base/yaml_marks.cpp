#include "base/yaml_marks.h"

#include <algorithm>
#include <cstdint>

namespace tpu_admission::yaml {
namespace {

constexpr std::size_t kStride = 64;

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

Marks::Marks(std::string_view text, std::size_t skipped) : text_(text), skipped_(skipped) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), ascii)) return;
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
  return YamlMark{static_cast<std::uint32_t>(line + 1), static_cast<std::uint32_t>(column + 1),
                  ByteOf(character) + skipped_};
}

YamlMark MarkOfByte(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::string_view line = before.substr(begin);
  const auto columns =
      std::count_if(line.begin(), line.end(), [](char c) { return !Continues(c); });
  return YamlMark{static_cast<std::uint32_t>(lines + 1), static_cast<std::uint32_t>(columns + 1),
                  offset};
}

}  // namespace tpu_admission::yaml
