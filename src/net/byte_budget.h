// The cap on bytes in flight: how much memory bodies and answers may hold, over all connections.
//
// Thread safe. A typical review (6 KB) never touches the shared counter: the first kFreeBytes of a
// connection are bounded by the cap on connections already. So the way of a usual request stays
// free of contention, and a few peers that send huge bodies slowly cannot get small reviews
// refused; nor large ones of peers that have proven themselves, for whom a quarter is kept.
#pragma once

#include <atomic>
#include <cstddef>

#include "tpu_admission/base/lifetime.h"

namespace tpu_admission::net {

class ByteBudget {
 public:
  static constexpr std::size_t kFreeBytes = 16u << 10;

  explicit ByteBudget(std::size_t limit) : limit_(limit) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

  // What one connection holds of the budget; gives it back when destroyed. One thread.
  class Lease {
   public:
    explicit Lease(ByteBudget& budget TPU_ADMISSION_LIFETIME_BOUND) : budget_(budget) {}
    ~Lease() { Release(); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    // Makes the lease cover `bytes` in all; false (and nothing changed) at the cap.
    bool Cover(std::size_t bytes) {
      return bytes <= kFreeBytes + held_ ||
             budget_.Take(bytes - kFreeBytes - held_, held_, is_proven_);
    }
    // It is of a peer that has had a good answer.
    void Prove() { is_proven_ = true; }
    void Release() {
      if (held_ != 0) budget_.Give(held_);
    }

   private:
    ByteBudget& budget_;
    std::size_t held_ = 0;
    bool is_proven_ = false;
  };

 private:
  bool Take(std::size_t bytes, std::size_t& held, bool is_proven);
  void Give(std::size_t& held);

  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace tpu_admission::net
