#include "tpu_admission/base/day.h"

#include <algorithm>
#include <array>

namespace tpu_admission {
namespace {

std::optional<int> Digits(std::string_view text) {
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

int DaysIn(int year, int month) {
  static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[std::size_t(month - 1)];
}

std::string Padded(int number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

}  // namespace

std::optional<Day> ParseDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = Digits(text.substr(0, 4));
  const auto month = Digits(text.substr(5, 2));
  const auto day = Digits(text.substr(8, 2));
  if (!year || !month || !day || *month < 1 || *month > 12) return std::nullopt;
  if (*day < 1 || *day > DaysIn(*year, *month)) return std::nullopt;
  return Day{*year, *month, *day};
}

std::string Text(const Day& day) {
  return Padded(day.year, 4) + "-" + Padded(day.month, 2) + "-" + Padded(day.day, 2);
}

}  // namespace tpu_admission
