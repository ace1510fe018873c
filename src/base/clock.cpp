#include "tpu_admission/base/clock.h"

#include <array>
#include <cstdio>

#include "tpu_admission/base/text.h"

namespace tpu_admission {

std::string UtcText(Clock::Wall time) {
  const std::chrono::hh_mm_ss clock(
      floor<std::chrono::seconds>(time - floor<std::chrono::days>(time)));
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "T%02d:%02d:%02dZ", int(clock.hours().count()),
                int(clock.minutes().count()), int(clock.seconds().count()));
  return Text(DayOf(time)) + text.data();
}

std::optional<Clock::Wall> ReadUtc(std::string_view text) {
  constexpr std::size_t kSeconds = 19;  // bytes up to them
  if (text.size() <= kSeconds || text[10] != 'T' || text[13] != ':' || text[16] != ':' ||
      text.back() != 'Z' || (text.size() > kSeconds + 1 && text[kSeconds] != '.')) {
    return std::nullopt;
  }
  const auto part = [text](std::size_t at) { return WholeNumber(text.substr(at, 2)).value_or(-1); };
  const auto day = ParseDay(text.substr(0, 10));
  const auto hour = part(11), minute = part(14), second = part(17);  // 60 is a leap second
  const bool in_a_day = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0;
  if (!day || day->year < 1970 || day->year >= 2200 || !in_a_day || second > 60) {
    return std::nullopt;
  }
  return std::chrono::sys_days(std::chrono::year(day->year) / day->month / day->day) +
         std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
}

}  // namespace tpu_admission
