// Whether two short texts are the same, without a call: names and keys are short, and a call of
// memcmp costs more than what it compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tpu_admission {

template <typename Word>
bool SameWord(const char* a, const char* b) {
  Word of_a;
  Word of_b;
  std::memcpy(&of_a, a, sizeof of_a);
  std::memcpy(&of_b, b, sizeof of_b);
  return of_a == of_b;
}

// Of at least one word: the last may overlap with the one before it. Keys of one prefix differ at
// their ends, which are looked at first.
template <typename Word>
bool SameWords(const char* a, const char* b, std::size_t size) {
  const std::size_t last = size - sizeof(Word);
  if (!SameWord<Word>(a + last, b + last)) return false;
  for (std::size_t i = 0; i < last; i += sizeof(Word)) {
    if (!SameWord<Word>(a + i, b + i)) return false;
  }
  return true;
}

inline bool SameText(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size >= 8) return SameWords<std::uint64_t>(a.data(), b.data(), size);
  if (size >= 4) return SameWords<std::uint32_t>(a.data(), b.data(), size);
  return size == 0 || SameWords<char>(a.data(), b.data(), size);
}

}  // namespace tpu_admission
