// Lines as editors and CI count them: \n, \r\n and \r end one. (YAML knows more ends: U+0085,
// U+2028 and U+2029 are characters of a line here.) A byte order mark before the text is no
// character.
//
// Pure; safe from any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tpu_admission/base/yaml.h"

namespace tpu_admission {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Whether the byte goes on with a character of UTF-8.
inline bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Whether a line ends with the byte at `at`.
inline bool EndsLine(std::string_view text, std::size_t at) {
  return text[at] == '\n' || (text[at] == '\r' && !text.substr(at + 1).starts_with('\n'));
}

// The beginning of the line that `at` is in, or ends.
inline std::size_t LineBegin(std::string_view text, std::size_t at) {
  while (at > 0 && !EndsLine(text, at - 1)) --at;
  return at;
}

// The end of the line that `at` is in, before \n, \r\n or \r; the end of the text if it is the
// last.
inline std::size_t LineEnd(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_of("\r\n", at);
  return end == text.npos ? text.size() : end;
}

// The first line of files with \n or \r\n, with its end.
inline std::string_view FirstLine(std::string_view text) {
  return text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
}

// The place after `text`, which begins at `start` and ends between no \r and its \n.
YamlMark Advanced(YamlMark start, std::string_view text);

// The places of a text that begins at `start` of the whole; borrows it. Made in linear time. A line
// may be all of the text, so a place is counted from the nearest of many stops.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text, const YamlMark& start = {});
  // Of a byte of `text`, not of the whole; what is behind its end is at its end.
  YamlMark At(std::size_t byte) const;

 private:
  YamlMark After(YamlMark mark) const;

  std::string_view text_;
  std::size_t begin_;  // of the text in the whole
  std::vector<YamlMark> stops_;
};

}  // namespace tpu_admission
