#include "net/byte_budget.h"

namespace tpu_admission::net {

bool ByteBudget::Take(std::size_t bytes, std::size_t& held, bool is_proven) {
  const std::size_t limit = is_proven ? limit_ : limit_ - limit_ / 4;
  std::size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (used > limit || bytes > limit - used) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  held += bytes;
  return true;
}

void ByteBudget::Give(std::size_t& held) {
  used_.fetch_sub(held, std::memory_order_relaxed);
  held = 0;
}

}  // namespace tpu_admission::net
