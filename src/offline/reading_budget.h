// Each repair is proven by reading the whole text again, so that those of all objects of a long
// list would take the square of its length.
#pragma once

#include <cstddef>
#include <string_view>

namespace tpu_admission::offline {

// So many bytes may be read in all, which does for every repair of a file that people write.
class ReadingBudget {
 public:
  // False, and takes nothing, if that is more than is left.
  bool Take(std::string_view text) {
    if (text.size() > left_) return false;
    left_ -= text.size();
    return true;
  }

 private:
  std::size_t left_ = 16 << 20;
};

}  // namespace tpu_admission::offline
