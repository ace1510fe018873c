#include "tpu_admission/base/base64.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tpu_admission/base/text.h"

namespace tpu_admission {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The two digits of each 12 bits.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  return pairs;
}();

// Of the last 12 bits.
void PutPair(char* to, std::uint64_t bits) { std::memcpy(to, kPairs[bits & 0xFFF].data(), 2); }

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (kSpace.find(c) != kSpace.npos) continue;
    const std::size_t value = kAlphabet.find(c);
    if (c == '=') {
      ++padding;
    } else if (value == kAlphabet.npos || padding > 0) {
      return std::nullopt;
    }
    bits = (bits << 6) | static_cast<std::uint32_t>(c == '=' ? 0 : value);
    if (++digits % 4 != 0) continue;
    if (padding > 2) return std::nullopt;
    for (std::size_t i = 0; i < 3 - padding; ++i) {
      out += static_cast<char>((bits >> (16 - 8 * i)) & 0xFF);
    }
  }
  if (digits % 4 != 0 || padding > 2) return std::nullopt;
  return out;
}

void AppendBase64(std::string& text, std::string_view bytes) {
  const std::size_t start = text.size();
  text.resize(start + (bytes.size() + 2) / 3 * 4, '=');
  char* to = text.data() + start;
  const auto* const from = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 6, to += 8) {
    std::uint64_t eight;  // of which the first six count
    std::memcpy(&eight, from + at, 8);
    if constexpr (std::endian::native == std::endian::little) eight = __builtin_bswap64(eight);
    PutPair(to, eight >> 52);
    PutPair(to + 2, eight >> 40);
    PutPair(to + 4, eight >> 28);
    PutPair(to + 6, eight >> 16);
  }
  for (; at + 3 <= bytes.size(); at += 3, to += 4) {
    const unsigned bits = unsigned{from[at]} << 16 | unsigned{from[at + 1]} << 8 | from[at + 2];
    PutPair(to, bits >> 12);
    PutPair(to + 2, bits);
  }
  if (at == bytes.size()) return;
  const bool two = at + 2 == bytes.size();
  const unsigned bits = unsigned{from[at]} << 16 | (two ? unsigned{from[at + 1]} << 8 : 0);
  PutPair(to, bits >> 12);
  if (two) to[2] = kPairs[bits & 0xFFF][0];
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  AppendBase64(text, bytes);
  return text;
}

}  // namespace tpu_admission
