// Texts that are small and would become large: refused, and quickly.
#include <gtest/gtest.h>

#include <string>

#include "tpu_admission/base/yaml.h"

namespace tpu_admission {
namespace {

std::string MessageOf(std::string_view yaml, const YamlLimits& limits = {}) {
  const Result<std::vector<YamlDocument>> documents = ParseYaml(yaml, limits);
  return documents ? "" : documents.error().message;
}

std::string Repeat(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

TEST(YamlLimitsTest, DepthOfTheText) {
  EXPECT_EQ(MessageOf(Repeat("[", 200) + Repeat("]", 200)), "");
  EXPECT_TRUE(MessageOf(Repeat("[", 201) + Repeat("]", 201)).starts_with("1:201: more than 200"));
  EXPECT_NE(MessageOf(Repeat("[", 100'000)), "");
  EXPECT_NE(MessageOf(Repeat("- ", 100'000) + "x"), "");
  EXPECT_NE(MessageOf(Repeat("{a: ", 100'000)), "");
}

TEST(YamlLimitsTest, DepthThatAliasesMake) {
  const YamlLimits limits{.max_depth = 10, .max_json_bytes = 1000};
  EXPECT_EQ(MessageOf("a: &a [[[1]]]\nb: [[[[*a]]]]\n", limits), "");
  EXPECT_NE(MessageOf("a: &a [[[[[1]]]]]\nb: [[[[[*a]]]]]\n", limits), "");
}

TEST(YamlLimitsTest, BillionLaughs) {
  std::string text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last +
            Repeat(", " + last, 9) + "]\n";
  }
  EXPECT_NE(MessageOf(text).find("too large once its aliases are expanded"), std::string::npos);
}

// The merges add no text at all: every key is there already. Only the work grows.
TEST(YamlLimitsTest, MergesThatAddNothing) {
  std::string text = "a0: &a0 {k: 1}\n";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + last + ", " + last +
            "]}\n";
  }
  EXPECT_NE(MessageOf(text).find("too large once its aliases are expanded"), std::string::npos);
}

TEST(YamlLimitsTest, OnlyWhatAliasesMakeIsCounted) {
  const YamlLimits limits{.max_aliased_values = 10};
  EXPECT_EQ(MessageOf("[" + Repeat("1,", 1000) + "]", limits), "");
  EXPECT_EQ(MessageOf("a: &a [1, 2, 3]\nb: [*a, *a]\n", limits), "");
  EXPECT_NE(MessageOf("a: &a [1, 2, 3]\nb: [*a, *a, *a, *a]\n", limits), "");
}

// A long key costs its length once for every value below it, in the table of places.
TEST(YamlLimitsTest, LongKeysOverManyValues) {
  const std::string text = Repeat("k", 1000) + ": [" + Repeat("1,", 20'000) + "]\n";
  EXPECT_NE(MessageOf(text, {.max_json_bytes = 1 << 20}), "");
  EXPECT_EQ(MessageOf("k: [" + Repeat("1,", 20'000) + "]\n", {.max_json_bytes = 1 << 20}), "");
}

TEST(YamlLimitsTest, AllDocumentsCountTogether) {
  const YamlLimits limits{.max_json_bytes = 100};
  const std::string document = "---\n- 0123456789abcdefghij0123456789\n";
  EXPECT_EQ(MessageOf(Repeat(document, 2), limits), "");
  EXPECT_TRUE(MessageOf(Repeat(document, 5), limits).starts_with("8:")) << "the fourth document";
}

}  // namespace
}  // namespace tpu_admission
