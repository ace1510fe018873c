#include "offline/excerpt.h"

#include <algorithm>
#include <vector>

#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

constexpr std::size_t kCharacterBytes = 4;
constexpr const char* kUnshown = "\xEF\xBF\xBD";  // U+FFFD

// At most `most` characters of a line, from its beginning on, each safe to show.
std::vector<std::string> Characters(std::string_view line, std::size_t most) {
  line = line.substr(0, most * kCharacterBytes);
  line = line.substr(0, LineEnd(line, 0));
  line = line.substr(0, Utf8PrefixBytes(line));
  std::vector<std::string> characters;
  while (!line.empty() && characters.size() < most) {
    std::string_view rest = line;
    const char32_t character = TakeCharacter(rest);
    const std::string_view bytes = line.substr(0, line.size() - rest.size());
    characters.push_back(character == '\t'        ? " "
                         : IsInvisible(character) ? kUnshown
                                                  : std::string(bytes));
    line = rest;
    // As Printable() does.
    const std::size_t size = characters.size();
    const auto is = [&](std::size_t back, const char* text) {
      return back <= size && characters[size - back] == text;
    };
    if (is(1, "[") && is(2, "#") && is(3, "#")) characters[size - 2] = kUnshown;
  }
  return characters;
}

// Where what is shown begins: the line, or so many characters before `offset`. A line may be all of
// the text, so no more of it is looked at.
std::size_t Start(std::string_view text, std::size_t offset, std::size_t characters) {
  std::size_t start = offset;
  while (start > 0 && characters > 0 && !EndsLine(text, start - 1)) {
    --start;
    if (!IsContinuation(text[start])) --characters;
  }
  while (start < offset && IsContinuation(text[start])) ++start;
  return start;
}

}  // namespace

std::string Excerpt(std::string_view text, const Span& place, std::string_view before,
                    std::string_view after) {
  const std::size_t offset = place.begin.offset;
  if (place.begin.line == 0 || place.begin.column == 0 || offset > text.size() || text.empty()) {
    return "";
  }
  const std::size_t column = place.begin.column - 1;
  const std::size_t shown = column < kExcerptColumns * 3 / 4 ? column : kExcerptColumns / 2;
  const std::size_t start = Start(text, offset, shown);
  std::vector<std::string> line = Characters(text.substr(start), kExcerptColumns);
  if (line.empty() || shown > line.size()) return "";
  std::size_t length = line.size() - shown;  // of what goes on below, the first line
  if (place.end.line <= place.begin.line) {
    length = place.end.column > place.begin.column ? place.end.column - place.begin.column : 1;
  }
  const std::size_t carets = std::max<std::size_t>(1, std::min(length, line.size() - shown));
  std::string number = std::to_string(place.begin.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  const std::string_view cut = shown < column ? "..." : "";
  std::string excerpt = number + " | " + std::string(cut);
  for (const std::string& character : line) excerpt += character;
  excerpt += "\n" + std::string(number.size(), ' ') + " | " + std::string(cut.size() + shown, ' ');
  return excerpt.append(before).append(carets, '^').append(after) + "\n";
}

}  // namespace tpu_admission::offline
