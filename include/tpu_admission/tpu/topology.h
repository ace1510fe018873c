// A TPU topology such as 4x4 or 2x2x4: the shape of a slice in chips.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tpu_admission::tpu {

// An immutable value; every dimension is at least 1 and at most 65535.
class Topology {
 public:
  // Exactly `^[1-9][0-9]*x[1-9][0-9]*(x[1-9][0-9]*)?$`, GKE's own form of the label value:
  // lower case, no spaces, two or three dimensions. Anything else is nullopt.
  static std::optional<Topology> Parse(std::string_view text);
  static Topology Of(std::span<const std::uint16_t> dimensions);  // 2 or 3 dimensions

  int rank() const { return rank_; }
  std::span<const std::uint16_t> dimensions() const { return {dims_.data(), std::size_t(rank_)}; }
  std::int64_t chips() const;
  bool NonDecreasing() const;  // A <= B <= C, as GKE wants custom shapes
  Topology Rising() const;     // the same dimensions in that order
  bool EveryDimensionMultipleOf(int factor) const;
  bool Contains(const Topology& part) const;  // same rank and no dimension larger
  std::string Text() const;

  friend bool operator==(const Topology&, const Topology&) = default;

 private:
  std::array<std::uint16_t, 3> dims_{};
  int rank_ = 0;
};

}  // namespace tpu_admission::tpu
