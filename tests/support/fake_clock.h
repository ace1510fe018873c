// A clock that stands still until a test moves it.
#pragma once

#include "tpu_admission/base/clock.h"

namespace tpu_admission::support {

class FakeClock final : public Clock {
 public:
  Wall Now() const override { return wall_; }
  Mono Elapsed() const override { return mono_; }

  void Advance(std::chrono::milliseconds time) {
    wall_ += time;
    mono_ += time;
  }
  void SetWrong(std::chrono::seconds by) { wall_ += by; }  // as an administrator or NTP does

 private:
  Wall wall_ = std::chrono::system_clock::from_time_t(1795262400);
  Mono mono_{std::chrono::hours(1)};
};

}  // namespace tpu_admission::support
