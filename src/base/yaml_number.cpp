#include "base/yaml_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "tpu_admission/base/text.h"

namespace tpu_admission::yaml {
namespace {

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

std::string WithoutUnderscores(std::string_view text) {
  std::string out(text);
  std::erase(out, '_');
  return out;
}

// Takes the sign off `text`.
bool TakeMinus(std::string_view& text) {
  const bool minus = !text.empty() && text.front() == '-';
  if (minus || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
  return minus;
}

// The base that a prefix names, and takes the prefix off; 10 without one.
int TakeBase(std::string_view& text) {
  if (text.size() < 2 || text.front() != '0') return 10;
  const char letter = static_cast<char>(text[1] | 0x20);
  const int base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
  const bool has_letter = base != 8 || letter == 'o';
  text.remove_prefix(has_letter ? 2 : 1);
  return base;
}

std::optional<std::string> FromBase(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || stop != end || error != std::errc()) return std::nullopt;
  return std::to_string(value);
}

// Go's own rule for when a double is written with an exponent; others differ, and a decoder that
// wants an integer refuses "1e+05".
std::string WriteDouble(double value) {
  std::array<char, 64> buffer{};
  const double size = std::fabs(value);
  const bool exponent = size != 0 && (size < 1e-6 || size >= 1e21);
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  return error == std::errc() ? std::string(buffer.data(), end) : "0";
}

// ^(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$
bool IsDecimalFloat(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    TakeMinus(exponent);
    if (!AllDigits(exponent)) return false;
    text = text.substr(0, e);
  }
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction = text.substr(std::min(dot + 1, text.size()));
  if (whole.empty()) return AllDigits(fraction);
  return AllDigits(whole) && (fraction.empty() || AllDigits(fraction));
}

}  // namespace

std::optional<std::string> DecimalDigits(std::string_view text) {
  const std::string plain = WithoutUnderscores(text);
  std::string_view digits = plain;
  const bool minus = TakeMinus(digits);
  const int base = TakeBase(digits);
  std::optional<std::string> value;
  if (base != 10) {
    value = FromBase(digits, base);
  } else if (AllDigits(digits)) {
    value = std::string(digits);
  }
  if (value && minus && *value != "0") value->insert(0, 1, '-');
  return value;
}

std::optional<std::string> JsonFloat(std::string_view text) {
  const std::string plain = WithoutUnderscores(text);
  std::string_view digits = plain;
  const bool minus = TakeMinus(digits);
  if (!IsDecimalFloat(digits)) return std::nullopt;
  // strtod tells what is too large, and so no number at all, from what is too small, and so 0.
  const double value = std::strtod(plain.c_str() + (digits.data() - plain.data()), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return WriteDouble(minus ? -value : value);
}

std::string FloatKey(std::string_view json_float) {
  double value = 0;
  std::from_chars(json_float.data(), json_float.data() + json_float.size(), value);
  const float narrow = static_cast<float>(value);
  const float size = std::fabs(narrow);
  std::array<char, 64> buffer{};
  // strconv.FormatFloat(f, 'g', -1, 32): an exponent below 1e-4 and from 1e6 on.
  const bool exponent = size != 0 && (size < 1e-4F || size >= 1e6F);
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), narrow,
                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  return error == std::errc() ? std::string(buffer.data(), end) : std::string(json_float);
}

}  // namespace tpu_admission::yaml
