#include "fuzz/heap.h"

#include <sanitizer/allocator_interface.h>

#include <algorithm>

namespace tpu_admission::fuzz {
namespace {

thread_local bool counting = false;
thread_local std::size_t live = 0;  // since the start; what was there before is not subtracted
thread_local std::size_t most = 0;
thread_local std::size_t made = 0;

void OnMalloc(const volatile void*, std::size_t size) {
  if (!counting) return;
  live += size;
  most = std::max(most, live);
  ++made;
}

void OnFree(const volatile void* memory) {
  if (!counting || memory == nullptr) return;
  live -= std::min(live, __sanitizer_get_allocated_size(const_cast<const void*>(memory)));
}

[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(OnMalloc, OnFree);

}  // namespace

HeapUse::HeapUse() {
  live = most = made = 0;
  counting = true;
}
HeapUse::~HeapUse() { counting = false; }
std::size_t HeapUse::peak() const { return most; }
std::size_t HeapUse::allocations() const { return made; }

}  // namespace tpu_admission::fuzz
