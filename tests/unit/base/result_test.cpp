#include "tpu_admission/base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace tpu_admission {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Error{"odd"};
  return number / 2;
}

TEST(ResultTest, HoldsAValueOrAReason) {
  EXPECT_TRUE(Half(4).ok());
  EXPECT_EQ(*Half(4), 2);
  EXPECT_FALSE(Half(3));
  EXPECT_EQ(Half(3).error().message, "odd");
}

TEST(ResultTest, AskingForTheWrongOneThrows) {
  const Result<int> good = Half(4);
  const Result<int> bad = Half(3);
  EXPECT_THROW((void)good.error(), std::bad_variant_access);
  EXPECT_THROW((void)bad.value(), std::bad_variant_access);
}

TEST(ResultTest, MovesTheValueOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(ResultTest, HoldsAStringEvenThoughReasonsAreStringsToo) {
  const Result<std::string> text = std::string("text");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->size(), 4U);
}

TEST(ResultTest, StatusIsAResultOfNothing) {
  EXPECT_TRUE(OkStatus().ok());
  EXPECT_FALSE(Status(Error{"full"}).ok());
}

}  // namespace
}  // namespace tpu_admission
