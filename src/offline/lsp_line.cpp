#include "offline/lsp_line.h"

#include <algorithm>
#include <cctype>

#include "tpu_admission/base/line_index.h"

namespace tpu_admission::offline {
namespace {

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '/' || c == '-' ||
         c == '_';
}

bool IsQuote(char c) { return c == '"' || c == '\''; }

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// 0 behind the end.
char CharAt(std::string_view line, std::size_t at) { return at < line.size() ? line[at] : '\0'; }

std::size_t BehindBlanks(std::string_view line, std::size_t begin) {
  while (IsBlank(CharAt(line, begin))) ++begin;
  return begin;
}

// What stands at `begin`, behind blanks and a quote.
std::size_t BehindQuote(std::string_view line, std::size_t begin) {
  begin = BehindBlanks(line, begin);
  return IsQuote(CharAt(line, begin)) ? begin + 1 : begin;
}

// Whether a value may end before `at`: there ends the line, a list or a map, or a comment begins.
bool IsFree(std::string_view line, std::size_t at) {
  return std::string_view("\0#,}]", 5).find(CharAt(line, BehindBlanks(line, at))) !=
         std::string_view::npos;
}

// Whether a quote is missing before `rest`, which begins in a quoted text.
bool IsOpen(std::string_view rest, char quote) {
  return IsFree(rest, 0) && std::count(rest.begin(), rest.end(), quote) % 2 == 0;
}

std::string_view WordAt(std::string_view line, std::size_t begin) {
  std::size_t end = begin;
  while (end < line.size() && IsWord(line[end])) ++end;
  return line.substr(begin, end - begin);
}

std::string_view LineAround(std::string_view text, std::size_t at) {
  const std::size_t begin = LineBegin(text, at);
  return text.substr(begin, LineEnd(text, at) - begin);
}

// What a line is like at a place, read from its beginning.
struct PlaceInYaml {
  bool is_comment = false;
  std::size_t quote = std::string_view::npos;  // where the quoted text around the place begins
  std::size_t colon = std::string_view::npos;  // the last one before it that is in no quoted text
  std::string brackets;                        // that are open
};

// Behind what a text begins: a quote further on in it is a part of it.
bool MayBeginText(std::string_view before) {
  const std::size_t last = before.find_last_not_of(" \t");
  if (last == before.npos) return true;
  if (before[last] == '-') return last == 0 || IsBlank(before[last - 1]);
  if (std::string_view(":,[{?").find(before[last]) != std::string_view::npos) return true;
  // A tag, an anchor.
  const std::size_t word = before.find_last_of(" \t", last) + 1;  // npos + 1 is 0
  return last + 1 < before.size() && (before[word] == '!' || before[word] == '&');
}

// Behind the quote that ends what begins with the one at `begin`; npos: none does.
std::size_t BehindQuoted(std::string_view line, std::size_t begin) {
  const char quote = line[begin];
  for (std::size_t i = begin + 1; i < line.size(); ++i) {
    if (quote == '"' && line[i] == '\\') {
      ++i;
    } else if (line[i] == quote && quote == '\'' && CharAt(line, i + 1) == quote) {
      ++i;
    } else if (line[i] == quote) {
      return i + 1;
    }
  }
  return line.npos;
}

PlaceInYaml PlaceAt(std::string_view line, std::size_t at) {
  line = line.substr(0, at);
  PlaceInYaml place;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (IsQuote(c) && MayBeginText(line.substr(0, i))) {
      const std::size_t behind = BehindQuoted(line, i);
      if (behind == line.npos) {
        place.quote = i;
        return place;
      }
      i = behind - 1;
    } else if (c == '#' && (i == 0 || IsBlank(line[i - 1]))) {
      place.is_comment = true;
      return place;
    } else if (c == ':') {
      place.colon = i;
    } else if (c == '[' || c == '{') {
      place.brackets += c;
    } else if ((c == ']' || c == '}') && !place.brackets.empty()) {
      place.brackets.pop_back();
    }
  }
  return place;
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
  const PlaceInYaml place = PlaceAt(line, at);
  const std::size_t colon = place.colon;
  if (place.is_comment || colon == line.npos || colon == 0) return std::nullopt;
  if (place.quote != line.npos && place.quote != BehindBlanks(line, colon + 1)) return std::nullopt;
  KeyAndValue found;
  found.colon = colon;
  found.key_quote = IsQuote(line[colon - 1]) ? line[colon - 1] : '\0';
  found.key = WordBefore(line, found.key_quote != 0 ? colon - 1 : colon);
  found.value_begin = BehindQuote(line, colon + 1);
  found.quote = IsQuote(line[found.value_begin - 1]) ? line[found.value_begin - 1] : '\0';
  found.value = WordAt(line, found.value_begin);
  const std::size_t end = found.value_begin + found.value.size();
  const bool is_word =  // as `a:b` is
      found.key_quote == 0 && found.value_begin == colon + 1 && !found.value.empty();
  if (found.key.empty() || at > end || is_word) return std::nullopt;
  return found;
}

std::optional<LineEdit> EditOfValue(std::string_view line, std::size_t at, const KeyAndValue& found,
                                    bool is_text) {
  const std::size_t end = found.value_begin + found.value.size();
  const bool is_bare = found.quote == 0;
  const bool is_new = is_bare && found.value.empty();
  if (is_new && !IsFree(line, end)) return std::nullopt;
  const std::size_t behind_colon = found.colon + 1;
  const bool lacks_blank = found.key_quote == 0 && !IsBlank(CharAt(line, behind_colon));
  LineEdit edit;
  edit.begin = lacks_blank ? behind_colon : std::min(found.value_begin, at);
  edit.end = is_new ? at : end;  // blanks before a comment stay
  // Blanks and the quote before the value.
  if (!is_new) edit.before = line.substr(edit.begin, found.value_begin - edit.begin);
  const bool needs_blank = edit.begin == behind_colon && !IsBlank(CharAt(edit.before, 0));
  if (needs_blank) edit.before.insert(0, " ");
  if (is_bare && is_text && found.key_quote == '"') {
    edit.before += '"';
    edit.after += '"';
  }
  if (!is_bare && IsOpen(line.substr(end), found.quote)) edit.after = found.quote;
  if (is_new && CharAt(line, at) == '#') edit.after += ' ';
  return edit;
}

bool MayBeKey(std::string_view line, std::size_t at) {
  at = std::min(at, line.size());
  const PlaceInYaml place = PlaceAt(line, at);
  std::size_t begin = at - WordBefore(line, at).size();
  if (place.is_comment || place.brackets.ends_with('[')) return false;
  if (place.quote != line.npos && place.quote + 1 != begin) return false;
  if (place.quote != line.npos) begin = place.quote;
  const std::size_t last = line.substr(0, begin).find_last_not_of(" \t");
  return MayBeginText(line.substr(0, begin)) && (last == line.npos || line[last] != ':');
}

LineEdit EditOfKey(std::string_view line, std::size_t at) {
  const std::size_t begin = at - WordBefore(line, at).size();
  const std::size_t end = begin + WordAt(line, begin).size();
  const char quote = begin > 0 && IsQuote(line[begin - 1]) ? line[begin - 1] : '\0';
  const bool is_closed = quote != 0 && CharAt(line, end) == quote;
  const std::size_t behind = is_closed ? end + 1 : end;
  if (CharAt(line, BehindBlanks(line, behind)) == ':') return {begin, end, "", ""};
  const std::string colon = IsBlank(CharAt(line, behind)) ? ":" : ": ";
  return {begin, behind, "", quote == 0 ? colon : quote + colon};
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
    const std::string_view value = WordAt(line, BehindQuote(line, colon + 1));
    if (value.empty()) continue;
    nearest = value;
    distance = here;
  }
  return nearest;
}

}  // namespace tpu_admission::offline
