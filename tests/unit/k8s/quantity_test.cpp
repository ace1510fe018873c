// Case 22 of the attack list: quantities exactly as the API server reads them.
#include "tpu_admission/k8s/quantity.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tpu_admission::k8s::quantity_test {
namespace {

struct Row {
  int line = 0;
  std::string text;
  std::string value;  // see the head of the file
};

std::vector<Row> Table() {
  std::ifstream file(TPU_ADMISSION_SOURCE_DIR "/tests/unit/k8s/testdata/quantities.tsv");
  std::vector<Row> rows;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.rfind('\t');
    rows.push_back({number, nlohmann::json::parse(line.substr(0, tab)), line.substr(tab + 1)});
  }
  return rows;
}

// The number of `billionths`, built up digit by digit with + and -, so that Parse() is not held
// against itself (only its "1n").
Quantity FromBillionths(std::string_view billionths) {
  const bool negative = billionths.starts_with('-');
  if (negative) billionths.remove_prefix(1);
  const Quantity one = Quantity::Parse("1n").value();
  Quantity sum;
  for (const char digit : billionths) {
    const Quantity twice = sum + sum;
    const Quantity eightfold = twice + twice + twice + twice;
    sum = eightfold + twice;
    for (char c = '0'; c < digit; ++c) sum = sum + one;
  }
  return negative ? Quantity() - sum : sum;
}

TEST(Quantity, Case22ReadsEveryTextAsTheApiServerDoes) {
  const std::vector<Row> rows = Table();
  ASSERT_GT(rows.size(), 500U);
  const Quantity huge = Quantity::Parse("8e28").value();
  for (const Row& row : rows) {
    SCOPED_TRACE("quantities.tsv:" + std::to_string(row.line) + ": " + row.text);
    const std::optional<Quantity> quantity = Quantity::Parse(row.text);
    ASSERT_EQ(quantity.has_value(), row.value != "refused");
    if (!quantity) continue;
    if (row.value == "+over") {
      EXPECT_GE(*quantity, huge);
    } else if (row.value == "-over") {
      EXPECT_LE(*quantity, Quantity() - huge);
    } else {
      EXPECT_EQ(*quantity, FromBillionths(row.value));
    }
  }
}

TEST(Quantity, HoldsTheLargestMagnitude) {
  const Quantity huge = Quantity::Parse("1e100").value();
  EXPECT_EQ(huge + huge, huge);
  EXPECT_EQ(huge, Quantity::Parse("8e28").value());
  EXPECT_EQ((Quantity() - huge) - huge, Quantity() - huge);
  EXPECT_EQ(huge.MillisRoundedDown(), INT64_MAX);
  EXPECT_EQ((Quantity() - huge).MillisRoundedDown(), INT64_MIN);
  EXPECT_EQ(huge.MebibytesRoundedDown(), INT64_MAX);
  EXPECT_EQ(huge.AsInteger(), std::nullopt);
}

struct Units {
  std::string text;
  std::optional<std::int64_t> integer;
  std::int64_t millis;
  std::int64_t mebibytes;
  std::string shown;
};

class QuantityUnits : public testing::TestWithParam<Units> {};

TEST_P(QuantityUnits, AreRead) {
  const Quantity quantity = Quantity::Parse(GetParam().text).value();
  EXPECT_EQ(quantity.AsInteger(), GetParam().integer);
  EXPECT_EQ(quantity.MillisRoundedDown(), GetParam().millis);
  EXPECT_EQ(quantity.MebibytesRoundedDown(), GetParam().mebibytes);
  EXPECT_EQ(quantity.Text(), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, QuantityUnits,
    testing::Values(
        Units{"4", 4, 4000, 0, "4"}, Units{"4000m", 4, 4000, 0, "4"},
        Units{"4k", 4000, 4'000'000, 0, "4000"}, Units{"1e0", 1, 1000, 0, "1"},
        Units{"1500m", std::nullopt, 1500, 0, "1500m"}, Units{"0.5", std::nullopt, 500, 0, "500m"},
        Units{"0", 0, 0, 0, "0"}, Units{"-4", -4, -4000, 0, "-4"},
        Units{"64Gi", std::int64_t{64} << 30, (std::int64_t{64} << 30) * 1000, 65536, "64Gi"},
        Units{"1Ki", 1024, 1'024'000, 0, "1Ki"},
        Units{"1048575", 1048575, 1'048'575'000, 0, "1048575"},
        Units{"4294967296", std::int64_t{1} << 32, (std::int64_t{1} << 32) * 1000, 4096, "4Gi"},
        Units{"9223372036854775807", INT64_MAX, INT64_MAX, 8'796'093'022'207,
              "9223372036854775807"},
        Units{"9223372036854775808", std::nullopt, INT64_MAX, 8'796'093'022'208,
              "9223372036854775808"}));

TEST(Quantity, FactoriesAgreeWithTexts) {
  EXPECT_EQ(Quantity::FromUnits(-3), Quantity::Parse("-3"));
  EXPECT_EQ(Quantity::FromMillis(1500), Quantity::Parse("1.5"));
  EXPECT_EQ(Quantity::FromMebibytes(3), Quantity::Parse("3Mi"));
  EXPECT_EQ(Quantity::FromUnits(INT64_MAX), Quantity::Parse("9223372036854775807"));
  EXPECT_TRUE(Quantity::FromUnits(-1).IsNegative());
  EXPECT_TRUE(Quantity::Parse("-0").value().IsZero());
  EXPECT_FALSE(Quantity::Parse("-0").value().IsNegative());
  EXPECT_EQ(Max(Quantity::FromUnits(1), Quantity::FromUnits(2)), Quantity::FromUnits(2));
}

TEST(Quantity, LongTextsAreNotRead) {
  EXPECT_TRUE(Quantity::Parse("0." + std::string(126, '1')).has_value());
  EXPECT_FALSE(Quantity::Parse("0." + std::string(127, '1')).has_value());
  EXPECT_FALSE(Quantity::Parse(std::string(1'000'000, '9')).has_value());
  EXPECT_TRUE(Quantity::Parse("1e2147483648").has_value());
}

TEST(Quantity, TextsReadAsTheSameAgain) {
  for (const std::string_view text : {"0",
                                      "4",
                                      "-4",
                                      "1500m",
                                      "-1500m",
                                      "1n",
                                      "-1n",
                                      "0.1e-999",
                                      "1234567n",
                                      "64Gi",
                                      "-64Gi",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "-9223372036854775807",
                                      "-9223372036854775808",
                                      "-9223372036854775809",
                                      "8388608Ti",
                                      "-8388608Ti",
                                      "1e28",
                                      "-9007199254740992Ki",
                                      "9223372036854775807.999999999"}) {
    const Quantity quantity = Quantity::Parse(text).value();
    EXPECT_EQ(Quantity::Parse(quantity.Text()), quantity) << text << " as " << quantity.Text();
  }
  EXPECT_EQ(Quantity::FromUnits(INT64_MIN).Text(), "-9223372036854775808");
}

}  // namespace
}  // namespace tpu_admission::k8s::quantity_test
