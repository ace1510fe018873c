// Kubernetes resource quantities ("4", "1500m", "64Gi"), exactly as the API server reads them.
// Grammar: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpu_admission::k8s {

// An exact number in steps of 10^-9, no floating point; finer fractions round away from zero, as
// in Kubernetes, and a magnitude past 8*10^28 is held there.
class Quantity {
 public:
  constexpr Quantity() = default;
  static Quantity FromMillis(std::int64_t millis);
  static Quantity FromUnits(std::int64_t units);
  static Quantity FromMebibytes(std::int64_t mebibytes);

  // The longest text that is read. The API server reads longer ones too: they cannot be judged.
  static constexpr std::size_t kLongest = 128;

  // nullopt where the API server would refuse the text, and for longer ones than kLongest.
  static std::optional<Quantity> Parse(std::string_view text);

  bool IsZero() const { return nano_ == 0; }
  bool IsNegative() const { return nano_ < 0; }
  // The whole number, if it is one and fits.
  std::optional<std::int64_t> AsInteger() const;
  std::int64_t MillisRoundedDown() const;     // saturates
  std::int64_t MebibytesRoundedDown() const;  // saturates

  friend Quantity operator+(Quantity a, Quantity b);
  friend Quantity operator-(Quantity a, Quantity b);
  friend Quantity Max(Quantity a, Quantity b) { return a.nano_ < b.nano_ ? b : a; }
  friend auto operator<=>(Quantity, Quantity) = default;  // NOLINT(modernize-use-nullptr): clang 14

  // Short for people: "4", "1500m", "64Gi". Parse() makes the very same quantity of it.
  std::string Text() const;

 private:
  __extension__ using Wide = __int128;
  static std::optional<Quantity> ParseUsual(std::string_view text);
  constexpr explicit Quantity(Wide nano) : nano_(nano) {}

  Wide nano_ = 0;
};

}  // namespace tpu_admission::k8s
