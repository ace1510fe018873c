#include "tpu_admission/base/same_text.h"

#include <gtest/gtest.h>

#include <string>

namespace tpu_admission::same_text_test {
namespace {

// Of every size up to three words: the same text elsewhere, and one that differs in one place.
TEST(SameText, LooksAtEveryByte) {
  for (std::size_t size = 0; size <= 24; ++size) {
    const std::string text(size, 'a');
    EXPECT_TRUE(SameText(text, std::string(text))) << size;
    EXPECT_FALSE(SameText(text, text + "a")) << size;
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = 'b';
      EXPECT_FALSE(SameText(text, other)) << size << ", " << at;
    }
  }
}

}  // namespace
}  // namespace tpu_admission::same_text_test
