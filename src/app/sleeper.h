// Sleeps that end early: when asked to stop, or woken. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace tpu_admission::app {

class Sleeper {
 public:
  // False if asked to stop.
  bool Sleep(const std::stop_token& stop, std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, time, [this] { return woken_; });
    woken_ = false;
    return !stop.stop_requested();
  }
  void Wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    wake_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool woken_ = false;
};

}  // namespace tpu_admission::app
