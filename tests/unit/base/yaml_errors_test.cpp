#include <gtest/gtest.h>

#include <string>

#include "support/yaml_json.h"

namespace tpu_admission::yaml_errors_test {
namespace {

struct Case {
  std::string_view yaml;
  std::string_view place;  // what the message begins with
  std::string_view words;  // what it says
};

std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.yaml; }

class YamlErrorTest : public testing::TestWithParam<Case> {};

TEST_P(YamlErrorTest, NamesPlaceAndReason) {
  const Result<std::vector<YamlJson>> documents = ParseYaml(GetParam().yaml);
  ASSERT_FALSE(documents);
  const std::string& message = documents.error().message;
  EXPECT_TRUE(message.starts_with(GetParam().place)) << message;
  EXPECT_NE(message.find(GetParam().words), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Keys, YamlErrorTest,
    testing::Values(Case{"a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n",
                         "5:3: ", "duplicate key \"c\" (first on line 3, again on line 5)"},
                    Case{"1: a\n'1': b\n", "2:1: ", "duplicate key \"1\""},
                    Case{"- {x: 1, x: 2}\n", "1:10: ", "duplicate key \"x\""},
                    Case{"~: v\n", "1:1: ", "a key cannot be null"},
                    Case{"a: {~: v}\n", "1:5: ", "null"},
                    Case{"[a]: v\n", "1:1: ", "cannot be a key"},
                    Case{"? {a: b}\n: v\n", "1:3: ", "cannot be a key"}));

INSTANTIATE_TEST_SUITE_P(Tabs, YamlErrorTest,
                         testing::Values(Case{"a:\n\tb: 1\n", "2:1: ", "a tab stands here"},
                                         Case{"a: 1\n---\nb:\n  \tc: 1\n  d: 2\n",
                                              "4:3: ", "indent by blanks"}));

INSTANTIATE_TEST_SUITE_P(
    Anchors, YamlErrorTest,
    testing::Values(Case{"a: *b\nb: &b 1\n", "1:4: ", "unknown anchor \"b\""},
                    Case{"a: &a 1\n---\nb: *a\n", "3:4: ", "unknown anchor \"a\""},
                    Case{"x: &x [1, *x]\n", "1:11: ", "contains itself"},
                    Case{"m:\n  <<: 3\n", "2:7: ", "<< takes a mapping"},
                    Case{"b: &b [{}]\nm:\n  <<: *b\n", "3:7: ", "<< takes a mapping"},
                    Case{"m:\n  <<: [1]\n", "2:8: ", "<< takes a mapping"}));

INSTANTIATE_TEST_SUITE_P(
    Scalars, YamlErrorTest,
    testing::Values(Case{"a: .inf\n", "1:4: ", "JSON cannot hold"},
                    Case{"a: [-.INF]\n", "1:5: ", "JSON cannot hold"},
                    Case{"a: .nan\n", "1:4: ", "JSON cannot hold"},
                    Case{"a: !!int abc\n", "1:4: ", "cannot read \"abc\" as !!int"},
                    Case{"a: !!int 1.5\n", "1:4: ", "as !!int"},
                    Case{"a: !!bool 1\n", "1:4: ", "as !!bool"},
                    Case{"a: !!null x\n", "1:4: ", "as !!null"},
                    Case{"a: !!binary '*'\n", "1:4: ", "base64"},
                    Case{"a: !!binary /w==\n", "1:4: ", "no UTF-8"},
                    Case{"a: !!str [b]\n", "1:4: ", "the tag \"!!str\""},
                    Case{"a: !foo b\n", "1:4: ", "the tag \"!foo\""},
                    Case{"a: !!set {b}\n", "1:4: ", "the tag \"!!set\""},
                    Case{"a: !!python/object b\n", "1:4: ", "the tag \"!!python/object\""}));

INSTANTIATE_TEST_SUITE_P(
    Syntax, YamlErrorTest,
    testing::Values(Case{"a: 'x\n", "2:1: ", "unexpected end of stream"},
                    Case{"a: [1, 2\n", "2:1: ", "expected ',' or ']'"},
                    Case{"a: b: c\n", "1:5: ", "mapping values are not allowed"},
                    Case{"a: @b\n", "1:4: ", "cannot start any token"},
                    Case{"a: \"\\z\"\n", "1:5: ", "escape"},
                    Case{"a: 1\nb: \x01\n", "2:4: ", "control characters are not allowed"}));

INSTANTIATE_TEST_SUITE_P(Encoding, YamlErrorTest,
                         testing::Values(Case{"a: 1\nb: x\xFFy\n", "2:5: ", "not UTF-8"},
                                         Case{"\xC3\xA9: \xC3\n", "1:4: ", "not UTF-8"},
                                         Case{std::string_view("\xFF\xFE"
                                                               "a\0:\0",
                                                               6),
                                              "1:1: ", "not UTF-8"}));

INSTANTIATE_TEST_SUITE_P(
    Json, YamlErrorTest,
    testing::Values(Case{R"(["\ud83d"])", "1:5: ", "invalid Unicode character escape code"},
                    Case{"{\"a\": 1, \"a\": 2}", "1:10: ", "duplicate key \"a\""},
                    Case{"{\"a\": 1}\n{\"a\": \"b\" \"c\"}", "2:11: ", "expected ',' or '}'"}));

TEST(YamlErrorTest, KeysOfUsersAreSafeToShow) {
  const auto documents = ParseYaml("\"a\\nb\": 1\n\"a\\nb\": 2\n");
  ASSERT_FALSE(documents);
  EXPECT_EQ(documents.error().message.find('\n'), std::string::npos);
}

TEST(YamlErrorTest, TheColumnBehindManyCharactersOfSeveralBytesIsRight) {
  for (const std::size_t before : {1U, 158U, 159U, 1000U, 1003U}) {
    std::string yaml;
    for (std::size_t i = 0; i < before; ++i) yaml += "\xE6\x97\xA5";
    const auto documents = ParseYaml(yaml + "\xFF" + yaml);
    ASSERT_FALSE(documents);
    EXPECT_EQ(documents.error().message,
              "1:" + std::to_string(before + 1) + ": the text is not UTF-8");
  }
}

// What is at fault costs its document alone.
TEST(YamlErrorTest, OtherDocumentsAreRead) {
  const YamlStream stream = ReadYaml(
      "a: 1\n---\nb: 1\nb: 2\n---\nc: [\n---\nd: *x\n...\n%YAML 1.1\n---\ne: 1\n--- {f: 1}\n");
  std::vector<std::string> keys;
  for (const YamlDocument& document : stream.documents) {
    keys.emplace_back(document.root->members.front().key);
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "e", "f"}));
  EXPECT_EQ(stream.documents.back().index, 5U) << "those at fault count";
  std::vector<std::string> errors;
  for (const YamlError& error : stream.errors) errors.push_back(error.Text().substr(0, 5));
  EXPECT_EQ(errors, (std::vector<std::string>{"4:1: ", "7:1: ", "8:4: "}));
}

TEST(YamlErrorTest, ErrorsAreCounted) {
  std::string yaml;
  for (int i = 0; i < 1000; ++i) yaml += "---\n*x\n";
  const YamlStream stream = ReadYaml(yaml);
  EXPECT_EQ(stream.errors.size(), 101U);
  EXPECT_EQ(stream.errors.back().Text(), "201:1: too many errors: the rest is not read");
}

}  // namespace
}  // namespace tpu_admission::yaml_errors_test
