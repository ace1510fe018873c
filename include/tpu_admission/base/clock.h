// Time behind an interface, so that tests own it.
#pragma once

#include <chrono>

#include "tpu_admission/base/day.h"

namespace tpu_admission {

class Clock {
 public:
  using Wall = std::chrono::system_clock::time_point;
  using Mono = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  virtual Wall Now() const = 0;      // for dates: certificate expiry, log lines
  virtual Mono Elapsed() const = 0;  // for durations
};

// The date in UTC.
inline Day DayOf(Clock::Wall time) {
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
  return {int(date.year()), int(unsigned(date.month())), int(unsigned(date.day()))};
}

class SystemClock final : public Clock {
 public:
  Wall Now() const override { return std::chrono::system_clock::now(); }
  Mono Elapsed() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace tpu_admission
