// How long to wait before the next attempt.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace tpu_admission::kube {

// `first` doubled for each of the `failures` before the last, at most `longest`, of which a part
// between a half and all is waited: `random` in [0, 1) chooses, so that clients that failed
// together do not come back together. `failures` counts from 1.
std::chrono::milliseconds Backoff(
    std::chrono::milliseconds first, int failures, double random,
    std::chrono::milliseconds longest = std::chrono::milliseconds(5'000));

// A Retry-After in seconds, at most an hour; nullopt for a date or anything else.
std::optional<std::chrono::seconds> RetryAfter(std::string_view field);

}  // namespace tpu_admission::kube
