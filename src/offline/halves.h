// Many that are tried together, and one by one only where they do not go.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace tpu_admission::offline {

// Bytes that are read to find out what goes, beyond the first time.
inline constexpr std::size_t kMostTried = 32 << 20;
inline constexpr const char* kTooLargeToTry =
    "is too large to try its changes one by one; split the list, or make them by hand";

// Offers `some` to `take`; of what it does not take, the halves, until `leave` gets each one that
// it does not take alone.
template <typename T>
void TakeInHalves(std::span<const T> some, const std::function<bool(std::span<const T>)>& take,
                  const std::function<void(const T&)>& leave) {
  if (some.empty() || take(some)) return;
  if (some.size() == 1) return leave(some.front());
  const std::size_t half = some.size() / 2;
  TakeInHalves(some.first(half), take, leave);
  TakeInHalves(some.subspan(half), take, leave);
}

}  // namespace tpu_admission::offline
