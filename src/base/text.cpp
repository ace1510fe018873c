#include "tpu_admission/base/text.h"

#include <algorithm>
#include <cctype>
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

// C0, DEL and C1 controls, line and paragraph separators, bidirectional overrides and invisible
// characters: whatever could forge a line, colour a terminal, show text in another order than it is
// written, or hide the very fault that a message speaks of.
bool IsControl(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (character.size() == 2) return byte(0) == 0xC2 && (byte(1) < 0xA0 || byte(1) == 0xAD);
  if (character == "\xEF\xBB\xBF") return true;  // U+FEFF
  if (character.size() != 3 || byte(0) != 0xE2) return false;
  const bool zero_width = byte(1) == 0x80 && byte(2) >= 0x8B && byte(2) <= 0x8F;
  const bool separators_and_overrides = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;
  const bool joiners_and_isolates = byte(1) == 0x81 && byte(2) >= 0xA0 && byte(2) <= 0xAF;
  return zero_width || separators_and_overrides || joiners_and_isolates;
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                        std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Printable(std::string_view text, std::size_t max_bytes) {
  // No more than what can be shown is looked at: the text may be a megabyte.
  std::string out;
  while (!text.empty() && out.size() <= max_bytes) {
    const std::size_t length = CharacterBytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    out += length == 0 || IsControl(character) ? kReplacement : character;
    text.remove_prefix(character.size());
  }
  return Cut(out, max_bytes);
}

std::string Quoted(std::string_view text, std::size_t max_bytes) {
  std::string out = "\"";
  for (const char c : Printable(text, max_bytes)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string Cut(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes > kEllipsis.size() ? max_bytes - kEllipsis.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)).append(kEllipsis.substr(0, max_bytes));
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = CharacterBytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
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
  constexpr std::size_t kLongestName = 64;  // no candidate is longer; bounds the cost
  std::string_view nearest;
  if (word.size() > kLongestName) return nearest;
  std::size_t fewest = max_edits + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t edits = EditDistance(word, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace tpu_admission
