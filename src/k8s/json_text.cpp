#include "k8s/json_text.h"

#include <charconv>
#include <cstdlib>
#include <optional>

#include "tpu_admission/base/text.h"

namespace tpu_admission::k8s {
namespace {

const char* SkipDigits(const char* at, const char* end) {
  while (at != end && IsDigit(*at)) ++at;
  return at;
}

// The unit behind "\u".
std::optional<char32_t> TakeUnit(const char*& at, const char* end) {
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return std::nullopt;
  std::uint32_t unit = 0;
  const auto [stop, error] = std::from_chars(at + 2, at + 6, unit, 16);
  if (error != std::errc() || stop != at + 6) return std::nullopt;
  at += 6;
  return unit;
}

std::optional<char32_t> TakeCodePoint(const char*& at, const char* end, bool lone_surrogates) {
  const auto first = TakeUnit(at, end);
  if (!first || *first < 0xD800 || *first > 0xDFFF) return first;
  const char* const behind = at;
  const auto second = *first < 0xDC00 ? TakeUnit(at, end) : std::nullopt;
  if (!second || *second < 0xDC00 || *second > 0xDFFF) {
    at = behind;
    return lone_surrogates ? std::optional<char32_t>(0xFFFD) : std::nullopt;
  }
  return 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00);
}

void AppendUtf8(char32_t c, std::string& text) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6U);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12U);
  } else {
    put(0xF0 | c >> 18U);
    put(0x80 | (c >> 12U & 0x3F));
  }
  if (c >= 0x800) put(0x80 | (c >> 6U & 0x3F));
  put(0x80 | (c & 0x3F));
}

}  // namespace

bool TakeEscape(const char*& at, const char* end, std::string& text, bool lone_surrogates) {
  static constexpr std::string_view kEscapes = "\"\\/bfnrt";
  static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  if (end - at < 2) return false;
  const std::size_t escape = kEscapes.find(at[1]);
  if (escape != kEscapes.npos) {
    text += kMeant[escape];
    at += 2;
    return true;
  }
  const auto character = TakeCodePoint(at, end, lone_surrogates);
  if (character) AppendUtf8(*character, text);
  return character.has_value();
}

NumberText NumberAt(const char* begin, const char* end) {
  const char* at = begin;
  if (at != end && *at == '-') ++at;
  const char* const whole = at;
  at = SkipDigits(at, end);
  if (at == whole || (*whole == '0' && at - whole > 1)) return {};
  const char* const whole_end = at;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    at = SkipDigits(at, end);
    if (at == fraction) return {};
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    const char* const exponent = at;
    at = SkipDigits(at, end);
    if (at == exponent) return {};
  }
  return {{begin, std::size_t(at - begin)}, at == whole_end};
}

double DoubleOf(std::string_view number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  if (std::from_chars(number.data(), end, value).ec == std::errc()) return value;
  return std::strtod(std::string(number).c_str(),
                     nullptr);  // tells what is large from what is small
}

}  // namespace tpu_admission::k8s
