// The signals that ask a process to stop.
#pragma once

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <ctime>

namespace tpu_admission::app {

// SIGTERM and SIGINT, taken by Wait() and by no thread. Threads started later inherit the mask, so
// make one of these first. SIGHUP, which asks other daemons to read their files again, ends
// nothing: ours are read when they change.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
  }

  // True if a signal came within `limit`.
  bool Wait(std::chrono::milliseconds limit) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
    const timespec wait{seconds.count(), (limit - seconds).count() * 1'000'000};
    return sigtimedwait(&set_, nullptr, &wait) > 0;
  }

 private:
  sigset_t set_;
};

}  // namespace tpu_admission::app
