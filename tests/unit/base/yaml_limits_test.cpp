// Texts that are small and would become large: refused, and quickly.
#include <gtest/gtest.h>

#include <string>

#include "support/yaml_json.h"

namespace tpu_admission::yaml_limits_test {
namespace {

std::string MessageOf(std::string_view yaml, const YamlLimits& limits = {}) {
  const Result<std::vector<YamlJson>> documents = ParseYaml(yaml, limits);
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
  const YamlLimits limits{.max_depth = 10};
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

// A mapping holds what it merged, once: merges of merges do not multiply.
TEST(YamlLimitsTest, MergesThatAddNothing) {
  std::string text = "a0: &a0 {k: 1}\n";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + last + ", " + last +
            "]}\n";
  }
  EXPECT_EQ(MessageOf(text), "");
}

TEST(YamlLimitsTest, OnlyWhatAliasesMakeIsCounted) {
  const YamlLimits limits{.max_aliased_values = 10};
  EXPECT_EQ(MessageOf("[" + Repeat("1,", 1000) + "]", limits), "");
  EXPECT_EQ(MessageOf("a: &a [1, 2, 3]\nb: [*a, *a]\n", limits), "");
  EXPECT_NE(MessageOf("a: &a [1, 2, 3]\nb: [*a, *a, *a, *a]\n", limits), "");
}

TEST(YamlLimitsTest, ValuesOfTheText) {
  const YamlLimits limits{.max_values = 100};
  EXPECT_EQ(MessageOf("[" + Repeat("1,", 99) + "]", limits), "");
  EXPECT_EQ(MessageOf("[" + Repeat("1,", 100) + "]", limits), "1:1: more than 100 values");
  EXPECT_NE(MessageOf(Repeat("- [1, 2]\n---\n", 40), limits), "") << "documents count together";
}

TEST(YamlLimitsTest, TooManyDocumentsAreToldOfOnce) {
  const YamlStream stream = ReadYaml(Repeat("- 1\n---\n", 60), {.max_values = 100});
  ASSERT_EQ(stream.errors.size(), 2U);
  EXPECT_EQ(stream.errors[0].message, "more than 100 values");
  EXPECT_EQ(stream.errors[1].message, "too many values: the rest is not read");
}

TEST(YamlLimitsTest, ManyDocumentsWithoutAnAliasAreNoFault) {
  const YamlStream stream = ReadYaml(Repeat("---\nkind: Pod\nmetadata: {name: a}\n", 50'000));
  EXPECT_EQ(stream.documents.size(), 50'000U);
  EXPECT_TRUE(stream.errors.empty());
}

// A document whose aliases are too many takes nothing from those behind it.
TEST(YamlLimitsTest, AliasesOfABadDocumentAreForgotten) {
  const YamlLimits limits{.max_aliased_values = 10};
  const YamlStream stream =
      ReadYaml("a: &a [1, 2, 3]\nb: [*a, *a, *a]\n---\na: &a [1, 2, 3]\nb: *a\n", limits);
  EXPECT_EQ(stream.documents.size(), 1U);
  EXPECT_EQ(stream.errors.size(), 1U);
}

TEST(YamlLimitsTest, Directives) {
  const auto tags = [](std::size_t count, std::string_view end = "\n") {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text.append("%TAG !e").append(std::to_string(i)).append("! tag:x,2000:").append(end);
    }
    return text;
  };
  const std::string too_many = "more than 64 directives (lines that begin with %)";
  EXPECT_EQ(MessageOf(tags(64) + "---\na: 1\n"), "");
  EXPECT_TRUE(MessageOf("# c\n\n" + tags(65) + "---\na: 1\n").starts_with("67:1: " + too_many));
  EXPECT_TRUE(MessageOf("a: 1\n...\n" + tags(65) + "---\n").starts_with("67:1: " + too_many));
  EXPECT_TRUE(MessageOf("\"a\"\n" + tags(65) + "---\n").starts_with("66:1: " + too_many));
  EXPECT_TRUE(MessageOf("{}\n" + tags(65) + "---\n").starts_with("66:1: " + too_many));
  EXPECT_NE(MessageOf("\"\u00e4\"\n" + tags(65)).find(too_many), std::string::npos);
  for (const char* end : {"\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\n \n#\n"}) {
    EXPECT_NE(MessageOf(tags(200'000, end) + "---\n").find(too_many), std::string::npos);
  }
  for (const char* text : {"a: |\n", "a: \"\n", "|\n", "a:\n"}) {
    const bool quoted = std::string_view(text).ends_with("\"\n");
    EXPECT_EQ(MessageOf(text + Repeat(quoted ? "%TAG\n" : " %TAG\n", 100) + (quoted ? "\"" : ""))
                  .find(too_many),
              std::string::npos);
  }
  const YamlStream stream =
      ReadYaml("a: 1\n---\nb: 1\n...\n" + tags(65) + "---\nc: 1\n---\nd: 1\n");
  EXPECT_EQ(stream.documents.size(), 3U) << "it costs its document";
  EXPECT_EQ(stream.errors.size(), 1U);
}

TEST(YamlLimitsTest, ManyKeysAndMergesCostLinearTime) {
  std::string text = "base: &b {";
  for (int i = 0; i < 80'000; ++i) text += "k" + std::to_string(i) + ": 1, ";
  text += "}\nm: {<<: *b}\n";
  EXPECT_EQ(MessageOf(text, {.max_aliased_values = 1'000'000}), "");
}

}  // namespace
}  // namespace tpu_admission::yaml_limits_test
