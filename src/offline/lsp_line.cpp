#include "offline/lsp_line.h"

#include <algorithm>
#include <cctype>

namespace tpu_admission::offline {
namespace {

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '/' || c == '-' ||
         c == '_';
}

bool IsQuote(char c) { return c == '"' || c == '\''; }

// What stands at `begin`, behind blanks and a quote.
std::size_t BehindBlanks(std::string_view line, std::size_t begin) {
  while (begin < line.size() && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
  return begin < line.size() && IsQuote(line[begin]) ? begin + 1 : begin;
}

std::string_view WordAt(std::string_view line, std::size_t begin) {
  std::size_t end = begin;
  while (end < line.size() && IsWord(line[end])) ++end;
  return line.substr(begin, end - begin);
}

std::string_view LineAround(std::string_view text, std::size_t at) {
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  return text.substr(begin, std::min(text.find('\n', at), text.size()) - begin);
}

}  // namespace

std::string_view WordBefore(std::string_view line, std::size_t at) {
  at = std::min(at, line.size());
  std::size_t begin = at;
  while (begin > 0 && IsWord(line[begin - 1])) --begin;
  return line.substr(begin, at - begin);
}

std::optional<KeyAndValue> KeyAndValueAt(std::string_view line, std::size_t at) {
  if (at == 0 || line.empty()) return std::nullopt;
  const std::size_t colon = line.rfind(':', std::min(at, line.size()) - 1);
  if (colon == line.npos || colon == 0) return std::nullopt;
  const std::size_t key_end = IsQuote(line[colon - 1]) ? colon - 1 : colon;
  KeyAndValue found;
  found.key = WordBefore(line, key_end);
  found.value_begin = BehindBlanks(line, colon + 1);
  found.value = WordAt(line, found.value_begin);
  const std::size_t end = found.value_begin + found.value.size();
  found.lacks_blank = found.value_begin == colon + 1;
  // `a:b` is a word.
  if (found.key.empty() || at > end || (found.lacks_blank && !found.value.empty())) {
    return std::nullopt;
  }
  return found;
}

std::string_view NearestValue(std::string_view text, std::size_t at, std::string_view key) {
  std::string_view nearest;
  std::size_t distance = text.npos;
  for (std::size_t found = text.find(key); found != text.npos;
       found = text.find(key, found + key.size())) {
    const std::size_t here = found > at ? found - at : at - found;
    if (here > distance) break;  // from here on it only grows
    const std::string_view line = LineAround(text, found);
    const std::size_t in_line = std::size_t(text.data() + found - line.data()) + key.size();
    const std::size_t colon = line.find(':', in_line);
    if (colon == line.npos || colon > in_line + 1) continue;
    const std::string_view value = WordAt(line, BehindBlanks(line, colon + 1));
    if (value.empty()) continue;
    nearest = value;
    distance = here;
  }
  return nearest;
}

}  // namespace tpu_admission::offline
