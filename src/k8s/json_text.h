// The words of JSON: strings and numbers, without values around them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tpu_admission::k8s {

// The first byte in [at, end) that ends a string or means more than itself there: a quote, a
// backslash, a control character; `end` if there is none. Looks at 16 bytes at a time: most of a
// review is text.
inline const char* PlainEnd(const char* at, const char* end) {
  using Block = unsigned char __attribute__((vector_size(16)));
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  const auto is_plain = [](unsigned char c) { return c != '"' && c != '\\' && c >= 0x20; };
  for (; end - at >= 16; at += 16) {
    Block block;
    std::memcpy(&block, at, 16);
    const auto stops = (block == (Block{} + '"')) | (block == (Block{} + '\\')) | (block < 0x20);
#ifdef __SSE2__
    const int mask = _mm_movemask_epi8(reinterpret_cast<__m128i>(stops));
    if (mask != 0) return at + std::countr_zero(static_cast<unsigned>(mask));
#else
    std::uint64_t halves[2];
    std::memcpy(halves, &stops, 16);
    if (halves[0] != 0) return at + std::countr_zero(halves[0]) / 8;
    if (halves[1] != 0) return at + 8 + std::countr_zero(halves[1]) / 8;
#endif
  }
  while (at != end && is_plain(static_cast<unsigned char>(*at))) ++at;
  return at;
}

// Appends to `text` what the escape at `at`, a backslash, stands for, and sets `at` behind it.
// False if it is none, or half of a surrogate pair.
bool TakeEscape(const char*& at, const char* end, std::string& text);

// A number as it begins a text: "-12.5e3". Empty if there is none.
struct NumberText {
  std::string_view text;
  bool is_whole = false;  // digits alone
};
NumberText NumberAt(const char* at, const char* end);
// The nearest double; infinity if it is too large for one.
double DoubleOf(std::string_view number);

}  // namespace tpu_admission::k8s
