#include <gtest/gtest.h>

#include <string>

#include "tpu_admission/base/yaml.h"

namespace tpu_admission {
namespace {

struct Case {
  std::string_view yaml;
  std::string_view place;  // what the message begins with
  std::string_view words;  // what it says
};

std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.yaml; }

class YamlErrorTest : public testing::TestWithParam<Case> {};

TEST_P(YamlErrorTest, NamesPlaceAndReason) {
  const Result<std::vector<YamlDocument>> documents = ParseYaml(GetParam().yaml);
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
    testing::Values(Case{"a:\n\tb: 1\n", "2:1: ", "cannot start any token"},
                    Case{"a: 'x\n", "2:1: ", "unexpected end of stream"},
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

TEST(YamlErrorTest, KeysOfUsersAreSafeToShow) {
  const auto documents = ParseYaml("\"a\\nb\": 1\n\"a\\nb\": 2\n");
  ASSERT_FALSE(documents);
  EXPECT_EQ(documents.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace tpu_admission
