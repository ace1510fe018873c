// How metrics are declared: a face has a struct derived from MetricSet, and each of its metrics is
// one member there, with name, help and labels. All of it is made at start; later there are only
// handles, whose counting is one atomic operation. Safe from any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "observability/families.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/observability/log.h"

namespace tpu_admission::observability {

double Seconds(Clock::Wall time);  // since 1970, as Prometheus counts

class MetricSet {
 public:
  MetricSet(const MetricSet&) = delete;
  MetricSet& operator=(const MetricSet&) = delete;

  // The Prometheus text exposition of now.
  std::string Text() const;

 protected:
  // With what every process of ours has: its build, its resources, and the lines that `log` lost.
  explicit MetricSet(const Log& log);
  ~MetricSet() = default;

  prometheus::Counter& NewCounter(const char* name, const char* help,
                                  const prometheus::Labels& labels = {});
  prometheus::Gauge& NewGauge(const char* name, const char* help,
                              const prometheus::Labels& labels = {});

  // A metric for each value of an enum: `Counters<Result, 2> loads{*this, NAME, HELP, LABEL,
  // {"ok", "failed"}}`, and `loads[Result::kOk].Increment()`.
  template <typename Metric, typename Enum, std::size_t N>
  class Labelled {
   public:
    Labelled(MetricSet& set, const char* name, const char* help, const char* label,
             const std::string_view (&values)[N]) {
      for (std::size_t i = 0; i < N; ++i) {
        const prometheus::Labels labels = {{label, std::string(values[i])}};
        if constexpr (std::is_same_v<Metric, prometheus::Counter>) {
          series_[i] = &set.NewCounter(name, help, labels);
        } else {
          series_[i] = &set.NewGauge(name, help, labels);
        }
      }
    }
    Metric& operator[](Enum value) const { return *series_[static_cast<std::size_t>(value)]; }

   private:
    std::array<Metric*, N> series_;
  };
  template <typename Enum, std::size_t N>
  using Counters = Labelled<prometheus::Counter, Enum, N>;
  template <typename Enum, std::size_t N>
  using Gauges = Labelled<prometheus::Gauge, Enum, N>;

  // What counts by itself and is asked when somebody scrapes; it must live as long as this.
  template <typename Counting>
  class Asked final : public Counting {
   public:
    explicit Asked(MetricSet& set) { set.families_.Add(*this); }
  };

  Families families_;

 private:
  const Log& log_;
};

}  // namespace tpu_admission::observability
