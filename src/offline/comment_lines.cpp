#include "offline/comment_lines.h"

#include <algorithm>

#include "tpu_admission/base/line_index.h"

namespace tpu_admission::offline {

std::optional<std::size_t> BeginWithComments(std::string_view text, std::size_t key) {
  std::size_t begin = LineBegin(text, key);
  if (text.find_first_not_of(' ', begin) != key) return std::nullopt;
  while (begin > 0) {
    const std::size_t above = LineBegin(text, begin - 1);
    const std::size_t first = text.find_first_not_of(" \t", above);
    if (text[first] != '#') break;
    begin = above;
  }
  return begin;
}

std::size_t BehindComments(std::string_view text, std::size_t end, std::size_t least_column) {
  std::size_t line = end > 0 && text[end - 1] == '\n' ? end : text.find('\n', end) + 1;
  while (line != 0 && line < text.size()) {  // npos + 1 is 0
    const std::size_t first = text.find_first_not_of(" \r", line);
    if (first == text.npos) break;
    const std::size_t next = text.find('\n', first);
    if (text[first] == '#' && first - line + 1 >= least_column) {
      end = std::min(next, text.size());
    } else if (text[first] != '\n') {
      break;
    }
    line = text[first] == '\n' ? first + 1 : next + 1;
  }
  return end;
}

}  // namespace tpu_admission::offline
