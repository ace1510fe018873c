// What a piece of code takes from the heap, counted by the sanitizer's hooks. One thread.
#pragma once

#include <cstddef>

namespace tpu_admission::fuzz {

// Counts from its making on; one at a time.
class HeapUse {
 public:
  HeapUse();
  ~HeapUse();
  HeapUse(const HeapUse&) = delete;
  HeapUse& operator=(const HeapUse&) = delete;

  std::size_t peak() const;         // most bytes at once, beyond those at the start
  std::size_t allocations() const;  // so far
};

}  // namespace tpu_admission::fuzz
