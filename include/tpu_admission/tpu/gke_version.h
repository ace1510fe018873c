// A GKE version, or as much of one as is known: 1.31.1-gke.1846000, 1.31.1, 1.31.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tpu_admission::tpu {

class GkeVersion {
 public:
  // A leading "v" and what follows the numbers after "-" or "+" ("-gke.100+commit") are taken.
  // nullopt: no version.
  static std::optional<GkeVersion> Parse(std::string_view text);

  // True only if it is surely older: what is not known of a version says nothing.
  bool IsBelow(const GkeVersion& other) const;

 private:
  static constexpr std::size_t kParts = 4;  // major, minor, patch, build
  std::array<std::uint64_t, kParts> parts_{};
  std::size_t known_ = 0;
};

}  // namespace tpu_admission::tpu
