#include "tpu_admission/tpu/topology.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace tpu_admission::tpu {
namespace {

// The dimension that `text` begins with, taken off it; 0 if there is none.
std::uint16_t TakeDimension(std::string_view& text) {
  std::uint16_t value = 0;
  if (text.empty() || text.front() < '1' || text.front() > '9') return 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

std::optional<Topology> Topology::Parse(std::string_view text) {
  Topology topology;
  for (std::uint16_t& dimension : topology.dims_) {
    dimension = TakeDimension(text);
    if (dimension == 0) return std::nullopt;
    ++topology.rank_;
    if (text.empty()) break;
    if (text.front() != 'x') return std::nullopt;
    text.remove_prefix(1);
    if (topology.rank_ == 3) return std::nullopt;  // a fourth dimension, or a trailing x
  }
  if (topology.rank_ < 2) return std::nullopt;
  return topology;
}

Topology Topology::Of(std::span<const std::uint16_t> dimensions) {
  Topology topology;
  topology.rank_ = static_cast<int>(std::min(dimensions.size(), topology.dims_.size()));
  std::copy_n(dimensions.begin(), topology.rank_, topology.dims_.begin());
  return topology;
}

std::int64_t Topology::chips() const {
  std::int64_t product = 1;
  for (const std::uint16_t dimension : dimensions()) product *= dimension;
  return product;
}

bool Topology::NonDecreasing() const {
  const auto all = dimensions();
  return std::is_sorted(all.begin(), all.end());
}

Topology Topology::Rising() const {
  Topology rising = *this;
  std::sort(rising.dims_.begin(), rising.dims_.begin() + rank_);
  return rising;
}

bool Topology::EveryDimensionMultipleOf(int factor) const {
  const auto all = dimensions();
  return std::all_of(all.begin(), all.end(),
                     [factor](std::uint16_t dimension) { return dimension % factor == 0; });
}

bool Topology::Contains(const Topology& part) const {
  if (rank_ != part.rank_) return false;
  const auto all = dimensions();
  return std::equal(all.begin(), all.end(), part.dims_.begin(), std::greater_equal<>());
}

std::string Topology::Text() const {
  std::string text;
  for (const std::uint16_t dimension : dimensions()) {
    if (!text.empty()) text += 'x';
    text += std::to_string(dimension);
  }
  return text;
}

}  // namespace tpu_admission::tpu
