#include "tpu_admission/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace tpu_admission::result_test {
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

Result<std::pair<int, int>> Halves(int a, int b) {
  TPU_ADMISSION_TRY(const int first, Half(a));
  TPU_ADMISSION_TRY(int second, Half(b));
  return std::pair<int, int>(first, second);
}

TEST(TryTest, HandsTheValueOnOrReturnsTheError) {
  EXPECT_EQ(Halves(4, 6).value(), std::pair(2, 3));
  EXPECT_EQ(Halves(3, 6).error().message, "odd");
  EXPECT_EQ(Halves(4, 5).error().message, "odd");
}

Status Even(int number, int& after) {
  TPU_ADMISSION_TRY_STATUS(Half(number));
  ++after;
  return OkStatus();
}

TEST(TryTest, AStatusPassesItsErrorOn) {
  int after = 0;
  EXPECT_TRUE(Even(2, after).ok());
  EXPECT_FALSE(Even(1, after).ok());
  EXPECT_EQ(after, 1);
}

Result<std::unique_ptr<int>> Boxed(bool good) {
  if (!good) return Error{"gone", std::errc::no_such_file_or_directory};
  return std::make_unique<int>(7);
}

Result<int> Unboxed(bool good) {
  TPU_ADMISSION_TRY(const std::unique_ptr<int> box, Boxed(good));
  return *box;
}

TEST(TryTest, MovesTheValueAndKeepsTheCode) {
  EXPECT_EQ(Unboxed(true).value(), 7);
  EXPECT_EQ(Unboxed(false).error().code, std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace tpu_admission::result_test
