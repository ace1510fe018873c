// The words of JSON: strings and numbers, without values around them.
#pragma once

#include <string>
#include <string_view>

#include "tpu_admission/base/byte_scan.h"

namespace tpu_admission::k8s {

constexpr bool IsSpace(char c) {
  return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
}
// `text` without the space around it.
constexpr std::string_view WithoutSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

// The first byte in [at, end) that ends a string or means more than itself there: a quote, a
// backslash, a control character; `end` if there is none.
inline const char* TextEnd(const char* at, const char* end) {
  return FindByte(at, end, [](auto c) { return (c == '"') | (c == '\\') | (c < 0x20); });
}
// The same, and what is beyond ASCII, which a comparison of signed bytes says as well.
[[gnu::always_inline]] inline const char* PlainEnd(const char* at, const char* end) {
  return FindByte<signed char>(at, end,
                               [](auto c) { return (c == '"') | (c == '\\') | (c < 0x20); });
}

// Appends to `text` what the escape at `at`, a backslash, stands for, and sets `at` behind it.
// False if it is none, or half of a surrogate pair, unless that may stand alone as U+FFFD.
bool TakeEscape(const char*& at, const char* end, std::string& text, bool lone_surrogates);

// A number as it begins a text: "-12.5e3". Empty if there is none.
struct NumberText {
  std::string_view text;
  bool is_whole = false;  // digits alone
};
NumberText NumberAt(const char* at, const char* end);
// The nearest double; infinity if it is too large for one.
double DoubleOf(std::string_view number);

}  // namespace tpu_admission::k8s
