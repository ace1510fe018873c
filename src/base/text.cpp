#include "tpu_admission/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace tpu_admission {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "...";

// Bytes of the valid UTF-8 character that `text` begins with; 0 if there is none.
std::size_t CharacterBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

// Of what `text` begins with, the bytes that anybody may see: most texts are nothing else.
std::size_t PlainBytes(std::string_view text) {
  const auto is_other = [](char c) { return c < 0x20 || c > 0x7E || c == '['; };
  return std::size_t(std::find_if(text.begin(), text.end(), is_other) - text.begin());
}

struct Characters {
  char32_t first;
  char32_t last;
};
constexpr std::array<Characters, 20> kInvisible = {
    {{0x00, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
     {0x61C, 0x61C},   {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
     {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
     {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
     {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}}};

// What GitHub's runner passes over before a command: .NET's white space, as far as it is shown.
constexpr std::array<Characters, 7> kSpaces = {{{0x20, 0x20},
                                                {0xA0, 0xA0},
                                                {0x1680, 0x1680},
                                                {0x2000, 0x200A},
                                                {0x202F, 0x202F},
                                                {0x205F, 0x205F},
                                                {0x3000, 0x3000}}};

constexpr std::string_view kCommand = "::";      // at the beginning of a line
constexpr std::string_view kOldCommand = "##[";  // anywhere in it
// https://github.com/actions/runner src/Runner.Common/ActionCommand.cs

bool IsIn(std::span<const Characters> ranges, char32_t character) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Characters& range) {
    return character >= range.first && character <= range.last;
  });
}

// Of a line that is valid UTF-8.
bool BeginsCommand(std::string_view line) {
  for (std::string_view rest = line; !rest.empty(); line = rest) {
    if (!IsIn(kSpaces, TakeCharacter(rest))) break;
  }
  return line.starts_with(kCommand);
}

constexpr std::size_t kLongestWord = 64;

bool SameLetter(char a, char b) { return Lower(a) == Lower(b); }

// The edits from one word to the other, as far as they are at most `most`; else more than that.
// What both begin and end with needs none, and a cell off the diagonal by more than `most` is out
// of reach, so the cost is that of what differs.
std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t most) {
  while (!a.empty() && !b.empty() && SameLetter(a.front(), b.front())) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && SameLetter(a.back(), b.back())) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  std::array<std::size_t, kLongestWord + 1> row;
  std::iota(row.begin(), row.begin() + std::ptrdiff_t(b.size()) + 1, std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t first = i > most ? i - most : 1;
    const std::size_t last = std::min(b.size(), i + most);
    std::size_t diagonal = row[first - 1];
    row[first - 1] = first == 1 ? i : most + 1;
    std::size_t least = row[first - 1];
    for (std::size_t j = first; j <= last; ++j) {
      const std::size_t replaced = diagonal + (SameLetter(a[i - 1], b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      least = std::min(least, row[j]);
    }
    if (least > most) return most + 1;
  }
  return row[b.size()];
}

}  // namespace

std::string Printable(std::string_view text, std::size_t max_bytes) {
  // No more than what can be shown is looked at: the text may be a megabyte.
  std::string out;
  while (!text.empty() && out.size() <= max_bytes) {
    const std::size_t plain = PlainBytes(text.substr(0, max_bytes + 1 - out.size()));
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty() || out.size() > max_bytes) break;
    const std::size_t length = CharacterBytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    std::string_view decoded = character;
    const bool show = length > 0 && !IsInvisible(TakeCharacter(decoded));
    out += show ? character : kReplacement;
    if (character == "[" && out.ends_with(kOldCommand))
      out.replace(out.size() - 2, 1, kReplacement);
  }
  return Cut(out, max_bytes);
}

std::string Quoted(std::string_view text, std::size_t max_bytes) {
  const std::string shown = Printable(text, max_bytes);
  std::string out = "\"";
  if (shown.find_first_of("\"\\") == shown.npos) return out.append(shown) += '"';
  for (const char c : shown) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string ShownPath(std::string_view path) {
  constexpr std::size_t kPathBytes = 4096;
  std::string shown = Printable(path, kPathBytes);
  if (BeginsCommand(shown)) shown.insert(0, "./");
  return shown;
}

std::string ShownLines(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const bool last = text.find('\n') == text.npos;
    const std::string_view line = TakeUntil(text, '\n');
    const std::string printable = Printable(line, line.size() * kReplacement.size());
    if (BeginsCommand(printable)) shown += kReplacement;
    shown.append(printable).append(last ? "" : "\n");
  }
  return shown;
}

std::string_view TakeUntil(std::string_view& text, char mark) {
  const std::string_view part = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool HasWorkflowCommand(std::string_view text) {
  std::string seen;  // the runner compares without what is invisible, and a line ends by \r too
  while (!text.empty()) {
    const std::size_t length = CharacterBytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    std::string_view decoded = character;
    if (character == "\n" || character == "\r") {
      seen += '\n';
    } else if (length == 0) {
      seen += kReplacement;
    } else if (character == "\t" || !IsInvisible(TakeCharacter(decoded))) {
      seen += character == "\t" ? " " : character;
    }
  }
  if (seen.find(kOldCommand) != seen.npos) return true;
  for (std::string_view rest = seen; !rest.empty();) {
    if (BeginsCommand(TakeUntil(rest, '\n'))) return true;
  }
  return false;
}

std::string Cut(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes > kEllipsis.size() ? max_bytes - kEllipsis.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)).append(kEllipsis.substr(0, max_bytes));
}

bool IsUtf8(std::string_view text) { return Utf8PrefixBytes(text) == text.size(); }

std::size_t AsciiPrefixBytes(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t size = 0;
  std::uint64_t word = 0;
  for (; size + sizeof word <= text.size(); size += sizeof word) {
    std::memcpy(&word, text.data() + size, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  while (size < text.size() && static_cast<unsigned char>(text[size]) < 0x80) ++size;
  return size;
}

std::size_t Utf8PrefixBytes(std::string_view text) {
  const std::size_t size = text.size();
  while (!text.empty()) {
    text.remove_prefix(AsciiPrefixBytes(text));
    const std::size_t length = text.empty() ? 0 : CharacterBytes(text);
    if (length == 0) break;
    text.remove_prefix(length);
  }
  return size - text.size();
}

char32_t TakeCharacter(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t character = length == 1 ? lead : lead & (0x7FU >> length);
  for (const char c : text.substr(1, length - 1)) {
    character = character << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  }
  text.remove_prefix(std::min(length, text.size()));
  return character;
}

bool IsInvisible(char32_t character) {
  if (character >= 0x20 && character < 0x7F) return false;
  return IsIn(kInvisible, character);
}

std::string_view Trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);  // npos + 1 is 0
}

std::string LowerCase(std::string_view text) {
  std::string lowered(text);
  std::transform(text.begin(), text.end(), lowered.begin(), Lower);
  return lowered;
}

bool SameButForCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameLetter);
}

std::string Joined(std::span<const std::string> words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : between).append(word);
  return out;
}

std::string JoinOr(std::span<const std::string> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates,
                         std::size_t max_edits) {
  std::string_view nearest;
  if (word.size() > kLongestWord) return nearest;
  std::size_t fewest = max_edits + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= fewest) continue;  // nor fewer edits
    if (candidate.size() > kLongestWord) continue;
    const std::size_t edits = EditDistance(word, candidate, fewest - 1);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end()) return std::nullopt;
  return number;
}

}  // namespace tpu_admission
