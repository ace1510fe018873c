#include "tpu_admission/base/base64.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tpu_admission {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kSpace = " \t\r\n";

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

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? kAlphabet[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

}  // namespace tpu_admission
