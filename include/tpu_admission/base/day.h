// A date of the Gregorian calendar, for those who may not know a clock.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace tpu_admission {

struct Day {
  int year = 0;
  int month = 0;
  int day = 0;

  auto operator<=>(const Day&) const = default;  // NOLINT(modernize-use-nullptr): not meant
};

// Of "2026-12-31" and nothing else; nothing if there is no such day.
std::optional<Day> ParseDay(std::string_view text);
std::string Text(const Day& day);  // "2026-12-31"

}  // namespace tpu_admission
