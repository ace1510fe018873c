#include "observability/duration_histogram.h"

#include <limits>

#include "observability/request_counters.h"

namespace tpu_admission::observability {

void DurationHistogram::Observe(admission::Endpoint endpoint, std::chrono::nanoseconds duration) {
  Durations& durations = by_endpoint_[static_cast<std::size_t>(endpoint)];
  std::size_t bucket = 0;
  while (bucket < kMicros.size() && duration.count() > kMicros[bucket] * 1000) ++bucket;
  durations.buckets[bucket].fetch_add(1, std::memory_order_relaxed);
  durations.sum.fetch_add(duration.count(), std::memory_order_relaxed);
}

std::vector<prometheus::MetricFamily> DurationHistogram::Collect() const {
  prometheus::MetricFamily family{"tpu_admission_request_duration_seconds",
                                  "Time from the whole body read to the answer made.",
                                  prometheus::MetricType::Histogram,
                                  {}};
  for (const auto endpoint : {admission::Endpoint::kMutate, admission::Endpoint::kValidate}) {
    const Durations& durations = by_endpoint_[static_cast<std::size_t>(endpoint)];
    prometheus::ClientMetric& metric = family.metric.emplace_back();
    metric.label = {{"endpoint", std::string(Name(endpoint))}};
    auto& histogram = metric.histogram;
    for (std::size_t i = 0; i < durations.buckets.size(); ++i) {
      histogram.sample_count += durations.buckets[i].load(std::memory_order_relaxed);
      const double bound = i < kMicros.size() ? static_cast<double>(kMicros[i]) / 1e6
                                              : std::numeric_limits<double>::infinity();
      histogram.bucket.push_back({histogram.sample_count, bound});
    }
    histogram.sample_sum = static_cast<double>(durations.sum.load(std::memory_order_relaxed)) / 1e9;
  }
  return {std::move(family)};
}

}  // namespace tpu_admission::observability
