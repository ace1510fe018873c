// Sleeps that end early: when asked to stop, or woken. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <stop_token>

#include "tpu_admission/base/thread_annotations.h"

namespace tpu_admission::app {

class Sleeper {
 public:
  // False if asked to stop.
  bool Sleep(const std::stop_token& stop, std::chrono::milliseconds time) {
    MutexLock lock(mutex_);
    wake_.wait_for(lock, stop, time, [this]() TPU_ADMISSION_REQUIRES(mutex_) { return woken_; });
    woken_ = false;
    return !stop.stop_requested();
  }
  void Wake() {
    const MutexLock lock(mutex_);
    woken_ = true;
    wake_.notify_all();
  }

 private:
  Mutex mutex_;
  std::condition_variable_any wake_;
  bool woken_ TPU_ADMISSION_GUARDED_BY(mutex_) = false;
};

}  // namespace tpu_admission::app
