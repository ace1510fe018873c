#include "rules/engine/phrases.h"

#include <gtest/gtest.h>

namespace tpu_admission::rules::phrases_test {
namespace {

TEST(Phrases, ANumberOrKindHasTheArticleThatIsSpoken) {
  for (const char* number : {"8x8", "8x16", "8", "80", "11", "18", "8x8x12", "InferenceService"}) {
    EXPECT_EQ(WithArticle(number), std::string("an ") + number);
  }
  for (const char* number : {"4x8", "1x8", "16x16", "12x12x8", "2", "110", "180", "28", "Pod"}) {
    EXPECT_EQ(WithArticle(number), std::string("a ") + number);
  }
}

}  // namespace
}  // namespace tpu_admission::rules::phrases_test
