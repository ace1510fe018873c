// The cap on connections. Thread safe; counts, and tells the observer.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/net/server.h"

namespace tpu_admission::net {

class ConnectionGate {
 public:
  ConnectionGate(std::size_t limit, ServerObserver& observer TPU_ADMISSION_LIFETIME_BOUND)
      : limit_(limit), observer_(observer) {}
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

  std::size_t count() const { return count_.load(std::memory_order_acquire); }
  bool full() const { return count() >= limit_; }

  // One connection's place; gives it back when destroyed.
  class Pass {
   public:
    explicit Pass(ConnectionGate& gate TPU_ADMISSION_LIFETIME_BOUND) : gate_(&gate) {
      gate_->Enter();
    }
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() { Return(); }

    void Return() {
      if (gate_ != nullptr) std::exchange(gate_, nullptr)->Leave();
    }

   private:
    ConnectionGate* gate_;
  };

 private:
  void Enter() {
    observer_.OnConnections(+1);
    count_.fetch_add(1, std::memory_order_acq_rel);
  }
  // The observer first: who sees the count at zero may destroy the observer.
  void Leave() {
    observer_.OnConnections(-1);
    count_.fetch_sub(1, std::memory_order_acq_rel);
  }

  const std::size_t limit_;
  ServerObserver& observer_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace tpu_admission::net
