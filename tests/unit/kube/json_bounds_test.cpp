#include "tpu_admission/kube/json_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tpu_admission::kube::json_bounds_test {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

// An array of ones, which is a value too.
std::string OfValues(std::size_t count) {
  std::string list = "[1";
  for (std::size_t i = 2; i < count; ++i) list += ",1";
  return list + "]";
}

TEST(WithinBounds, EndsAtADepthAndANumber) {
  EXPECT_TRUE(WithinBounds(Nested(kMostJsonDepth)));
  EXPECT_THAT(WithinBounds(Nested(kMostJsonDepth + 1)).error().message, HasSubstr("too deep"));
  EXPECT_TRUE(WithinBounds(OfValues(kMostJsonValues - 1)));
  EXPECT_THAT(WithinBounds(OfValues(kMostJsonValues + 1)).error().message, HasSubstr("300000"));
  EXPECT_FALSE(WithinBounds(std::string(4 << 20, '[')));
}

TEST(WithinBounds, KnowsWhatIsText) {
  const std::string many(1000, '[');
  EXPECT_TRUE(WithinBounds("{\"a\":\"" + many + "\"}"));
  EXPECT_TRUE(WithinBounds("{\"a\\\"" + many + "\\\\\":1}"));
  EXPECT_FALSE(WithinBounds("{\"a\\\\\":" + many));
  EXPECT_FALSE(WithinBounds("]]]" + many));
  EXPECT_TRUE(WithinBounds("{\"a\\"));
}

TEST(ParseJson, MakesATreeOnlyWithinThem) {
  EXPECT_EQ(ParseJson<Json>(R"({"a": [1, "b"]})")["a"][1], "b");
  EXPECT_TRUE(ParseJson<Json>(Nested(kMostJsonDepth)).is_array());
  for (const std::string& text : {std::string(), std::string("<html>"), Nested(kMostJsonDepth + 1),
                                  "{\"managedFields\":" + OfValues(kMostJsonValues + 1) + "}"}) {
    EXPECT_TRUE(ParseJson<Json>(text).is_discarded()) << text.substr(0, 20);
  }
}

}  // namespace
}  // namespace tpu_admission::kube::json_bounds_test
