// Time behind an interface, so that tests own it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

// Of a number of seconds since 1970 that somebody else wrote. Held between 1970 and 2200: a Wall
// ends in 2262, and certificates without an end say 9999 (RFC 5280 4.1.2.5). Times so held can be
// subtracted, and lives of decades added, without an overflow.
inline Clock::Wall WallOf(std::int64_t seconds) {
  constexpr std::int64_t kYear2200 = 7'258'118'400;
  return Clock::Wall(std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kYear2200)));
}

// The date in UTC.
inline Day DayOf(Clock::Wall time) {
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
  return {int(date.year()), int(unsigned(date.month())), int(unsigned(date.day()))};
}

// "2026-11-22T05:37:02Z", of RFC 3339.
std::string UtcText(Clock::Wall time);
// The time that is so written, to the second: with a fraction or without, from 1970 to 2199.
std::optional<Clock::Wall> ReadUtc(std::string_view text);

class SystemClock final : public Clock {
 public:
  Wall Now() const override { return std::chrono::system_clock::now(); }
  Mono Elapsed() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace tpu_admission
