#include "tpu_admission/kube/backoff.h"

#include <algorithm>

#include "tpu_admission/base/text.h"

namespace tpu_admission::kube {

using std::chrono::milliseconds;
using std::chrono::seconds;

milliseconds Backoff(milliseconds first, int failures, double random, milliseconds longest) {
  milliseconds wait = std::min(first, longest);
  for (int i = 1; i < failures && wait < longest; ++i) wait = std::min(wait * 2, longest);
  const auto jittered = static_cast<double>(wait.count()) * (0.5 + random / 2);
  return milliseconds(static_cast<milliseconds::rep>(jittered));
}

std::optional<seconds> RetryAfter(std::string_view field) {
  constexpr std::int64_t kLongest = 3600;
  const auto number = WholeNumber(field);
  if (number.value_or(-1) < 0) return std::nullopt;
  return seconds(std::min(*number, kLongest));
}

}  // namespace tpu_admission::kube
