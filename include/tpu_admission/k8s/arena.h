// Memory of one request: arrays handed out here live until Reset(), all at once.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>

namespace tpu_admission::k8s {

// Belongs to one thread.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `count` default-initialised elements.
  template <typename T>
  std::span<T> Array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    T* first = static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  // A copy of `text`.
  std::string_view Text(std::string_view text) {
    const std::span<char> copy = Array<char>(text.size());
    text.copy(copy.data(), text.size());
    return {copy.data(), copy.size()};
  }

  void Reset() { memory_.release(); }

 private:
  static constexpr std::size_t kFirstBlockBytes = 16 << 10;

  std::unique_ptr<std::byte[]> block_{new std::byte[kFirstBlockBytes]};
  std::pmr::monotonic_buffer_resource memory_{block_.get(), kFirstBlockBytes};
};

}  // namespace tpu_admission::k8s
