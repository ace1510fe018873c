// How long reviews take, by endpoint. (prometheus-cpp's own histogram locks a mutex for each
// observation.) Safe from any thread.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "tpu_admission/admission/handler.h"

namespace tpu_admission::observability {

class DurationHistogram : public prometheus::Collectable {
 public:
  void Observe(admission::Endpoint endpoint, std::chrono::nanoseconds duration);
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  // 10 us to 1 s, about three buckets a decade: a review takes tens of microseconds.
  static constexpr std::array<std::int64_t, 16> kMicros = {
      10,    20,     50,     100,    200,     500,     1'000,   2'000,
      5'000, 10'000, 20'000, 50'000, 100'000, 200'000, 500'000, 1'000'000};
  struct Durations {
    std::array<std::atomic<std::uint64_t>, kMicros.size() + 1> buckets{};  // the last: longer
    std::atomic<std::int64_t> sum{0};                                      // ns
  };
  std::array<Durations, 2> by_endpoint_;
};

}  // namespace tpu_admission::observability
