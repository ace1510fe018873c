#include "offline/scalar_text.h"

#include <algorithm>
#include <utility>

#include "offline/yaml_text.h"
#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

// Where the line begins in which nothing stands before `at`.
std::optional<std::size_t> LineThatBeginsWith(std::string_view text, std::size_t at) {
  const std::size_t line = LineBegin(text, at);
  return text.find_first_not_of(' ', line) == at ? std::optional(line) : std::nullopt;
}

// With the end of the line that it has to itself.
TextChange WithItsLine(std::string_view text, const TextChange& change) {
  const std::optional<std::size_t> line = LineThatBeginsWith(text, change.begin);
  const std::size_t next = text.find_first_not_of(" \t\r", change.end);
  const bool alone = line && next < text.size() && text[next] == '\n';
  return alone ? TextChange{*line, next + 1, ""} : change;
}

// Takes a scalar out of a map in brackets, with one comma. Comments stay: where they stand between
// it and the comma before it, so does that comma, which YAML allows.
std::optional<TextChange> RemovalInAFlow(std::string_view text, const Scalar& scalar,
                                         TextChange change) {
  const auto& [map, member] = scalar;
  if (HasComment(text.substr(change.begin, ValueBegin(text, *member->value) - change.begin))) {
    return std::nullopt;
  }
  const std::size_t behind = text.find_first_not_of(kSpace, change.end);
  if (behind < text.size() && text[behind] == ',') {
    const std::size_t next = text.find_first_not_of(kSpace, behind + 1);
    const bool is_key = next < text.size() && text[next] != '#' && text[next] != '}';
    if (is_key) return TextChange{change.begin, next, ""};
    return WithItsLine(text, {change.begin, behind + 1, ""});
  }
  if (member == &map->members.front()) return change;
  const std::size_t before = (member - 1)->value->end.offset;  // of an alias, anywhere
  const bool is_next =
      before < change.begin &&
      text.substr(before, change.begin - before).find_first_not_of(" \t\r\n,") == text.npos;
  return is_next ? TextChange{before, change.end, ""} : WithItsLine(text, change);
}

}  // namespace

bool HasComment(std::string_view text) { return text.find('#') != text.npos; }

std::optional<TextChange> Removal(std::string_view text, const Scalar& scalar) {
  const auto& [map, member] = scalar;
  const std::size_t begin = member->mark.offset;
  const std::size_t end = ValueEnd(text, *member->value);
  if (begin >= text.size() || end <= begin) return std::nullopt;
  if (text[map->start.offset] == '{') return RemovalInAFlow(text, scalar, {begin, end, ""});
  if (map->members.size() == 1) return TextChange{begin, end, "{}"};
  const std::optional<std::size_t> line = LineThatBeginsWith(text, begin);
  if (!line) return std::nullopt;
  return TextChange{*line, std::min(text.find('\n', end), text.size() - 1) + 1, ""};
}

std::optional<TextChange> Replacement(std::string_view text, const YamlNode& scalar,
                                      std::string written) {
  const std::size_t begin = ValueBegin(text, scalar);
  const std::size_t end = ValueEnd(text, scalar);
  const std::string_view value = text.substr(begin, end - begin);
  if (value.starts_with('|') || value.starts_with('>')) {
    const std::string_view head = value.substr(0, value.find_first_of("\r\n"));
    if (HasComment(head)) written += head.substr(head.find_first_of(" \t#"));
    // One between an anchor or tag and the value would not stay.
  } else if ((value.starts_with('!') || value.starts_with('#')) && HasComment(value)) {
    return std::nullopt;
  }
  return TextChange{begin, end, std::move(written)};
}

}  // namespace tpu_admission::offline
