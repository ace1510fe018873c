// When each thread of a listening port last showed that it moves. Thread safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

namespace tpu_admission::net {

class Heartbeats {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Heartbeats(std::size_t threads) : beats_(threads) {}

  void Beat(std::size_t thread, Time now) { beats_[thread].store(now, std::memory_order_relaxed); }
  void Stop(std::size_t thread) { Beat(thread, kStopped); }  // it is not looked at any more

  // For how long the slowest thread has not moved; 0 if none runs.
  Time::duration LongestStall(Time now) const {
    Time::duration longest{0};
    for (const std::atomic<Time>& beat : beats_) {
      const Time last = beat.load(std::memory_order_relaxed);
      if (last != kStopped) longest = std::max(longest, now - last);
    }
    return longest;
  }

 private:
  static constexpr Time kStopped{};
  std::vector<std::atomic<Time>> beats_;
};

}  // namespace tpu_admission::net
