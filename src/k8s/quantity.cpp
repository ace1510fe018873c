#include "tpu_admission/k8s/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "tpu_admission/base/text.h"

namespace tpu_admission::k8s {
namespace {

__extension__ using Wide = __int128;

constexpr Wide kNano = 1'000'000'000;
constexpr Wide Power(Wide base, int exponent) {
  Wide product = 1;
  while (exponent-- > 0) product *= base;
  return product;
}
constexpr Wide kLargest = 8 * Power(10, 37);  // the sum of two still fits

// What a suffix multiplies by: base^exponent, exponent negative for n, u, m.
struct Scale {
  Wide base;
  int exponent;
};

std::optional<Scale> ScaleOf(std::string_view suffix) {
  static constexpr std::string_view kBinary = "KMGTPE";
  static constexpr std::string_view kDecimal = "kMGTPE";
  if (suffix.empty()) return Scale{10, 0};
  if (suffix == "n") return Scale{10, -9};
  if (suffix == "u") return Scale{10, -6};
  if (suffix == "m") return Scale{10, -3};
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t step = kBinary.find(suffix[0]);
    if (step != kBinary.npos) return Scale{1024, int(step) + 1};
    return std::nullopt;
  }
  if (suffix.size() == 1 && kDecimal.find(suffix[0]) != kDecimal.npos) {
    return Scale{10, 3 * (int(kDecimal.find(suffix[0])) + 1)};
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return std::nullopt;
  suffix.remove_prefix(1);
  if (suffix.starts_with('+')) {
    suffix.remove_prefix(1);
    if (suffix.starts_with('-')) return std::nullopt;
  }
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(suffix.begin(), suffix.end(), exponent);
  if (suffix.empty() || end != suffix.end() || error != std::errc()) return std::nullopt;
  // The API server keeps the low 32 bits; what is past 1000 either way makes no difference here.
  return Scale{10, std::clamp(static_cast<std::int32_t>(exponent), -1000, 1000)};
}

// The digits of a number without its point.
struct Digits {
  std::string_view whole;     // before the point
  std::string_view fraction;  // behind it

  std::int64_t size() const { return std::int64_t(whole.size() + fraction.size()); }
  int operator[](std::int64_t index) const {
    const auto i = std::size_t(index);
    return (i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0';
  }
};

Digits Split(std::string_view number) {
  const std::size_t point = std::min(number.find('.'), number.size());
  return {number.substr(0, point), number.substr(std::min(point + 1, number.size()))};
}

// The number that the first `count` digits make, zeros after the last.
Wide Whole(const Digits& digits, std::int64_t count) {
  Wide whole = 0;
  for (std::int64_t i = 0; i < count && whole < kLargest; ++i) {
    if (i >= digits.size() && whole == 0) break;
    const int digit = i < digits.size() ? digits[i] : 0;
    whole = whole > kLargest / 10 ? kLargest : std::min(whole * 10 + digit, kLargest);
  }
  return whole;
}

// factor * the fraction that the digits from `first` on make, rounded up. Long multiplication from
// the last digit on, so that nothing is lost however many there are.
Wide Fraction(const Digits& digits, std::int64_t first, Wide factor) {
  Wide carry = 0;
  bool rest = false;
  for (std::int64_t i = digits.size() - 1; i >= first && (i >= 0 || carry != 0); --i) {
    const Wide product = (i >= 0 ? digits[i] * factor : 0) + carry;
    rest = rest || product % 10 != 0;
    carry = product / 10;
  }
  return carry + (rest ? 1 : 0);
}

// digits * scale in billionths; what is finer rounds up.
Wide ToNano(const Digits& digits, Scale scale) {
  const bool binary = scale.base == 1024;
  const Wide factor = binary ? Power(1024, scale.exponent) * kNano : 1;
  const std::int64_t point = std::int64_t(digits.whole.size()) + (binary ? 0 : scale.exponent + 9);
  const Wide whole = Whole(digits, point);
  if (whole > kLargest / factor) return kLargest;
  return std::min(whole * factor + Fraction(digits, point, factor), kLargest);
}

// The API server takes "k" and "." for 0, where it reads a suffix in its fast way.
bool TakesNoDigits(Scale scale) {
  return scale.base == 1024 ? scale.exponent <= 4 : scale.exponent >= -9;
}

// "4": what most amounts of chips are.
std::optional<std::int64_t> PlainNumber(std::string_view text) {
  constexpr std::size_t kFits = 9;
  if (text.empty() || text.size() > kFits || !std::all_of(text.begin(), text.end(), IsDigit)) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  for (const char c : text) number = number * 10 + (c - '0');
  return number;
}

// Division of 128 bits is a slow call; most quantities fit in 64.
Wide Quotient(Wide value, std::int64_t divisor) {
  const auto narrow = static_cast<std::int64_t>(value);
  return narrow == value ? narrow / divisor : value / divisor;
}

std::int64_t Clamp(Wide value) {
  using Limits = std::numeric_limits<std::int64_t>;
  return std::int64_t(std::clamp<Wide>(value, Limits::min(), Limits::max()));
}

std::string Decimal(Wide value) {
  const bool negative = value < 0;
  std::string digits;
  do {
    const int digit = int(value % 10);
    digits.insert(digits.begin(), char('0' + (negative ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  return negative ? "-" + digits : digits;
}

}  // namespace

Quantity Quantity::FromMillis(std::int64_t millis) {
  return Quantity(Wide(millis) * (kNano / 1000));
}
Quantity Quantity::FromUnits(std::int64_t units) { return Quantity(Wide(units) * kNano); }
Quantity Quantity::FromMebibytes(std::int64_t mebibytes) {
  return Quantity(Wide(mebibytes) * (Wide(1) << 20) * kNano);
}

// What nearly every manifest says, without the wide arithmetic of the whole grammar: "4", "1500m",
// "512Mi", "64Gi".
std::optional<Quantity> Quantity::ParseUsual(std::string_view text) {
  const auto number = [&](std::size_t suffix) {
    return PlainNumber(text.substr(0, text.size() - suffix));
  };
  if (text.ends_with('m')) {
    const auto millis = number(1);
    return millis ? std::optional(FromMillis(*millis)) : std::nullopt;
  }
  if (text.ends_with("Mi") || text.ends_with("Gi")) {
    const auto amount = number(2);
    const std::int64_t unit = text.ends_with("Gi") ? 1024 : 1;
    return amount ? std::optional(FromMebibytes(*amount * unit)) : std::nullopt;
  }
  const auto units = number(0);
  return units ? std::optional(FromUnits(*units)) : std::nullopt;
}

std::optional<Quantity> Quantity::Parse(std::string_view all) {
  if (const std::optional<Quantity> usual = ParseUsual(all)) return usual;
  if (all.size() > kLongest) return std::nullopt;
  std::string_view text = all;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::size_t end = 0;
  int points = 0;
  int digits = 0;
  while (end < text.size() && (IsDigit(text[end]) || text[end] == '.')) {
    text[end] == '.' ? ++points : ++digits;
    ++end;
  }
  if (all.empty() || points > 1) return std::nullopt;
  const std::optional<Scale> scale = ScaleOf(text.substr(end));
  if (!scale) return std::nullopt;
  if (digits == 0) return TakesNoDigits(*scale) ? std::optional(Quantity()) : std::nullopt;
  Wide nano = ToNano(Split(text.substr(0, end)), *scale);
  // The API server has this bound for Ki to Ei only.
  if (scale->base == 1024) nano = std::min(nano, std::numeric_limits<std::int64_t>::max() * kNano);
  return Quantity(negative ? -nano : nano);
}

std::optional<std::int64_t> Quantity::AsInteger() const {
  const Wide units = Quotient(nano_, std::int64_t{kNano});
  if (units * kNano != nano_ || Clamp(units) != units) return std::nullopt;
  return std::int64_t(units);
}

std::int64_t Quantity::MillisRoundedDown() const {
  return Clamp(Quotient(nano_, std::int64_t{kNano / 1000}));
}
std::int64_t Quantity::MebibytesRoundedDown() const { return Clamp(nano_ / kNano / (1 << 20)); }

Quantity operator+(Quantity a, Quantity b) {
  return Quantity(std::clamp<Wide>(a.nano_ + b.nano_, -kLargest, kLargest));
}
Quantity operator-(Quantity a, Quantity b) {
  return Quantity(std::clamp<Wide>(a.nano_ - b.nano_, -kLargest, kLargest));
}

std::string Quantity::Text() const {
  constexpr Wide kMilli = kNano / 1000;
  if (nano_ % kMilli != 0) return Decimal(nano_) + "n";
  if (nano_ % kNano != 0) return Decimal(nano_ / kMilli) + "m";
  const Wide units = nano_ / kNano;
  if (Clamp(units) != units || units == std::numeric_limits<std::int64_t>::min()) {
    return Decimal(units);  // of larger numbers with Ki to Ti the API server keeps 2^63 - 1
  }
  static constexpr std::array<std::pair<int, std::string_view>, 4> kSuffixes = {
      {{40, "Ti"}, {30, "Gi"}, {20, "Mi"}, {10, "Ki"}}};
  for (const auto& [shift, suffix] : kSuffixes) {
    const Wide step = Wide(1) << shift;
    if (units != 0 && units % step == 0) return Decimal(units / step).append(suffix);
  }
  return Decimal(units);
}

}  // namespace tpu_admission::k8s
