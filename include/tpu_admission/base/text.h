// User text made safe to show, and the nearest of several names.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tpu_admission {

// `text` without invisible characters (IsInvisible), invalid UTF-8 (both become U+FFFD) or more
// than `max_bytes` (cut at a character, then "..."). For text of users in messages, warnings and
// logs: a newline or an escape sequence in a label must not forge a line or colour a terminal. Nor
// must it command a CI system: of "##[", which GitHub Actions obeys anywhere in a line, the second
// character becomes U+FFFD.
std::string Printable(std::string_view text, std::size_t max_bytes = 64);

// Printable(text) in double quotes; `"` and `\` inside are escaped.
std::string Quoted(std::string_view text, std::size_t max_bytes = 64);

// The name of a file as a line of text may begin with it: Printable(), and no workflow command of a
// CI system ("::error::").
std::string ShownPath(std::string_view path);

// Each line of `text` by Printable(); none begins a workflow command. For what goes to a terminal
// and is ours but for some words: errors, reports.
std::string ShownLines(std::string_view text);

// The text before the first `mark`, or all of it, taken off `text` together with the mark.
std::string_view TakeUntil(std::string_view& text, char mark);

// Whether GitHub Actions would take some line of `text`, as it is, for a command.
bool HasWorkflowCommand(std::string_view text);

// `text` cut to at most `max_bytes` at a character, ending in "..." if anything was lost.
std::string Cut(std::string_view text, std::size_t max_bytes);

inline constexpr std::string_view kSpace = " \t\r\n";            // of JSON, YAML and base64
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }  // whatever the locale

// Whether all of `text` is well-formed UTF-8 (no overlong forms, no surrogates).
bool IsUtf8(std::string_view text);
// The bytes of its longest beginning that is.
std::size_t Utf8PrefixBytes(std::string_view text);
// The bytes before its first character beyond ASCII.
std::size_t AsciiPrefixBytes(std::string_view text);
// The first character of `text`, which is valid UTF-8 and not empty, taken off it.
char32_t TakeCharacter(std::string_view& text);

// Controls (C0, DEL, C1), separators of lines and paragraphs, what changes the direction of text,
// and what has no width: whatever could forge a line, colour a terminal, show text in another order
// than it is written, or hide the very fault that a message speaks of.
bool IsInvisible(char32_t character);

// `text` without the characters of `blanks` that it begins and ends with.
std::string_view Trimmed(std::string_view text, std::string_view blanks = kSpace);

// Of ASCII letters, whatever the locale.
constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }
std::string LowerCase(std::string_view text);
bool SameButForCase(std::string_view a, std::string_view b);

// The number that all of `text` is, if it is one.
std::optional<std::int64_t> WholeNumber(std::string_view text);

// "1 chip", "4 chips".
template <std::integral Number>
std::string Counted(Number number, std::string_view noun) {
  return std::to_string(number).append(" ").append(noun).append(number == 1 ? "" : "s");
}

std::string Joined(std::span<const std::string> words, std::string_view between);
// "a", "a or b", "a, b or c".
std::string JoinOr(std::span<const std::string> words);

// The candidate with the smallest edit distance to `word` (case ignored), or an empty view if even
// that one needs more than `max_edits`. The first wins a tie.
std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates,
                         std::size_t max_edits);

}  // namespace tpu_admission
