#include "tpu_admission/tpu/gke_version.h"

#include <charconv>

namespace tpu_admission::tpu {

std::optional<GkeVersion> GkeVersion::Parse(std::string_view text) {
  constexpr std::array<std::string_view, kParts> kBefore = {"", ".", ".", "-gke."};
  if (text.starts_with('v')) text.remove_prefix(1);
  GkeVersion version;
  for (; version.known_ < kParts; ++version.known_) {
    const std::string_view before = kBefore[version.known_];
    if (!text.starts_with(before)) break;
    const std::string_view digits = text.substr(before.size());
    const auto [end, error] =
        std::from_chars(digits.begin(), digits.end(), version.parts_[version.known_]);
    if (error != std::errc()) break;
    text = digits.substr(std::size_t(end - digits.begin()));
  }
  const bool ends = text.empty() || text.starts_with('-') || text.starts_with('+');
  return version.known_ < 2 || !ends ? std::nullopt : std::optional(version);
}

bool GkeVersion::IsBelow(const GkeVersion& other) const {
  for (std::size_t i = 0; i < kParts; ++i) {
    if (i >= known_ || i >= other.known_) return false;
    if (parts_[i] != other.parts_[i]) return parts_[i] < other.parts_[i];
  }
  return false;
}

}  // namespace tpu_admission::tpu
