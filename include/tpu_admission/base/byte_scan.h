// Looks for bytes in text, 16 at a time: most of what is read and written here is plain text.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tpu_admission {

// The first byte in [at, end) for which `test` holds; `end` if there is none. `test` takes one
// Byte, and 16 of them as a vector, by operators that know both: == < > |. Of signed bytes those
// beyond ASCII are below 0.
template <typename Byte = unsigned char, typename Test>
[[gnu::always_inline]] inline const char* FindByte(const char* at, const char* end, Test test) {
  typedef Byte Block __attribute__((vector_size(16)));  // NOLINT: no using takes a dependent type
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  for (; end - at >= 16; at += 16) {
    Block block;
    std::memcpy(&block, at, 16);
    const auto found = test(block);
#ifdef __SSE2__
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(reinterpret_cast<__m128i>(found)));
    if (mask != 0) return at + std::countr_zero(mask);
#else
    std::uint64_t halves[2];
    std::memcpy(halves, &found, 16);
    if (halves[0] != 0) return at + std::countr_zero(halves[0]) / 8;
    if (halves[1] != 0) return at + 8 + std::countr_zero(halves[1]) / 8;
#endif
  }
  while (at != end && !test(static_cast<Byte>(*at))) ++at;
  return at;
}

}  // namespace tpu_admission
