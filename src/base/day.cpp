#include "tpu_admission/base/day.h"

#include <array>
#include <chrono>
#include <cstdio>

#include "tpu_admission/base/text.h"

namespace tpu_admission {

std::optional<Day> ParseDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto part = [text](std::size_t at, std::size_t size) {
    return int(WholeNumber(text.substr(at, size)).value_or(-1));
  };
  const Day day{part(0, 4), part(5, 2), part(8, 2)};
  const bool is_real = (std::chrono::year(day.year) / day.month / day.day).ok();
  return is_real && IsDigit(text[0]) && day.year >= 0 ? std::optional(day) : std::nullopt;
}

std::string Text(const Day& day) {
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02d", day.year, day.month, day.day);
  return text.data();
}

}  // namespace tpu_admission
