// What every fuzz target shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tpu_admission::fuzz {

// A fault ends the process, so that libFuzzer keeps the input.
inline void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::abort();
}

inline std::string_view Text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Takes the first byte of `text`; 0 if there is none.
inline unsigned TakeByte(std::string_view& text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  return first;
}

}  // namespace tpu_admission::fuzz

#define REQUIRE(...) ::tpu_admission::fuzz::Require((__VA_ARGS__), #__VA_ARGS__)
