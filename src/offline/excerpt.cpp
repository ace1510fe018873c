#include "offline/excerpt.h"

#include <algorithm>
#include <vector>

#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

// The characters of the line, as many as can matter for `column`, each safe to show.
std::vector<std::string> Characters(std::string_view line, std::size_t column) {
  std::vector<std::string> characters;
  while (!line.empty() && characters.size() < column + kExcerptColumns) {
    std::string_view rest = line;
    const char32_t character = TakeCharacter(rest);
    const std::string_view bytes = line.substr(0, line.size() - rest.size());
    characters.push_back(character == '\t'        ? " "
                         : IsInvisible(character) ? "\xEF\xBF\xBD"
                                                  : std::string(bytes));
    line = rest;
  }
  return characters;
}

// The line that `mark` is on, without its end.
std::string_view LineAt(std::string_view text, const YamlMark& mark) {
  const std::size_t offset = std::min(mark.offset, text.size());
  const std::size_t before = offset == 0 ? text.npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == text.npos ? 0 : before + 1;
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return line;
}

}  // namespace

std::string Excerpt(std::string_view text, const Span& place, std::string_view before,
                    std::string_view after) {
  if (place.begin.line == 0 || place.begin.column == 0 || text.empty()) return "";
  const std::size_t column = place.begin.column - 1;
  const std::vector<std::string> line = Characters(LineAt(text, place.begin), column);
  if (line.empty() || column > line.size()) return "";
  const std::size_t left = column < kExcerptColumns * 3 / 4 ? 0 : column - kExcerptColumns / 2;
  const std::size_t right = std::min(line.size(), left + kExcerptColumns);
  std::size_t length = line.size() - column;  // of what goes on below, the first line
  if (place.end.line <= place.begin.line) {
    length = place.end.column > place.begin.column ? place.end.column - place.begin.column : 1;
  }
  const std::size_t carets =
      std::max<std::size_t>(1, std::min(length, right - std::min(column, right)));
  std::string number = std::to_string(place.begin.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::string excerpt = number + " | " + (left > 0 ? "..." : "");
  for (std::size_t i = left; i < right; ++i) excerpt += line[i];
  excerpt += "\n" + std::string(number.size(), ' ') + " | " + (left > 0 ? "   " : "");
  excerpt.append(column - left, ' ').append(before).append(carets, '^').append(after);
  return excerpt + "\n";
}

}  // namespace tpu_admission::offline
