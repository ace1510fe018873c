// What Debian 12's Emscripten (libc++ 13) lacks of C++20; every source of the page is compiled with
// it. Nothing where the library has it.
#pragma once

#include <charconv>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000
namespace std {

inline strong_ordering operator<=>(string_view a, string_view b) { return a.compare(b) <=> 0; }
inline strong_ordering operator<=>(const string& a, const string& b) { return a.compare(b) <=> 0; }

// The shortest text that reads as the number, as to_chars of the standard has it.
template <typename Number>
to_chars_result __tpu_write(char* first, char* last, Number value, chars_format format) {
  char text[512];
  int size = 0;
  for (int digits = 0; digits <= 400; ++digits) {
    const char* pattern = format == chars_format::fixed ? "%.*f" : "%.*e";
    size = snprintf(text, sizeof(text), pattern, digits, static_cast<double>(value));
    if (static_cast<Number>(strtod(text, nullptr)) == value) break;
  }
  if (size <= 0 || size > last - first) return {last, errc::value_too_large};
  return {std::copy(text, text + size, first), errc()};
}
inline to_chars_result to_chars(char* first, char* last, double value, chars_format format) {
  return __tpu_write(first, last, value, format);
}
inline to_chars_result to_chars(char* first, char* last, float value, chars_format format) {
  return __tpu_write(first, last, value, format);
}
inline to_chars_result to_chars(char* first, char* last, double value) {
  char scientific[512];
  const auto a = __tpu_write(scientific, scientific + 512, value, chars_format::scientific);
  const auto b = __tpu_write(first, last, value, chars_format::fixed);
  if (b.ec == errc() && b.ptr - first <= a.ptr - scientific) return b;
  if (a.ptr - scientific > last - first) return {last, errc::value_too_large};
  return {std::copy(scientific, a.ptr, first), errc()};
}

}  // namespace std
#endif

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
namespace std {

// Only what is a number from its first character to its last, as our callers have it.
inline from_chars_result from_chars(const char* first, const char* last, double& value,
                                    chars_format = chars_format::general) {
  const string text(first, last);
  char* end = nullptr;
  const double number = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  value = number;
  return {first + (end - text.c_str()), errc()};
}

}  // namespace std
#endif
