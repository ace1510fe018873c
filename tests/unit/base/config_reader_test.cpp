#include "tpu_admission/base/config_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

namespace tpu_admission::config_reader_test {
namespace {

using Read = std::function<void(ConfigNode)>;

// Reads `yaml` with `read` and returns the error, or "" if there is none.
std::string MessageOf(std::string_view yaml, const Read& read) {
  Result<ConfigFile> file = ConfigFile::Parse(yaml, "f.yaml");
  if (!file) return file.error().message;
  read(file->root());
  const Status status = file->Finish();
  return status ? "" : status.error().message;
}

constexpr std::array<std::string_view, 3> kModes = {"deny", "warn", "off"};

TEST(ConfigReaderTest, ReadsEveryType) {
  const Read read = [](ConfigNode root) {
    EXPECT_EQ(root.String("s"), "text");
    EXPECT_EQ(root.Int("i", {1, 10}), 7);
    EXPECT_TRUE(root.Bool("b"));
    EXPECT_EQ(root.Strings("l"), (std::vector<std::string>{"x", "z"}));
    EXPECT_EQ(root.Strings("one"), std::vector<std::string>{"x"});
    EXPECT_EQ(root.Ints("ns"), (std::vector<std::int64_t>{1, -2}));
    EXPECT_EQ(root.OneOf("mode", kModes), 1U);
    EXPECT_EQ(root.Map("m").Map("k").String("v"), "deep");
    ASSERT_EQ(root.List("rows").size(), 2U);
    EXPECT_EQ(root.List("rows")[1].Int("id"), 2);
  };
  EXPECT_EQ(MessageOf("s: text\ni: 7\nb: yes\nl: [x, z]\none: x\nns: [1, -2]\nmode: warn\n"
                      "m: {k: {v: deep}}\nrows: [{id: 1}, {id: 2}]\n",
                      [&](ConfigNode root) {
                        read(root);
                        (void)root.List("rows")[0].Int("id");
                      }),
            "");
}

TEST(ConfigReaderTest, FallsBackWhereAKeyIsMissing) {
  const Read read = [](ConfigNode root) {
    EXPECT_EQ(root.StringOr("s", "d"), "d");
    EXPECT_EQ(root.IntOr("i", 5), 5);
    EXPECT_TRUE(root.BoolOr("b", true));
    EXPECT_EQ(root.OneOfOr("o", kModes, 2), 2U);
    EXPECT_TRUE(root.StringsOrNone("l").empty());
    EXPECT_TRUE(root.ListOrNone("r").empty());
    EXPECT_FALSE(root.MapOrNone("m").has_value());
    EXPECT_FALSE(root.Has("s"));
  };
  EXPECT_EQ(MessageOf("", read), "");
  EXPECT_EQ(MessageOf("---\n", read), "");
}

// Somebody took the value away, or the lines below it: that is not as if the key were not there.
TEST(ConfigReaderTest, RefusesAKeyWithoutAValue) {
  EXPECT_EQ(MessageOf("i:\nb: ~\nm:\n",
                      [](ConfigNode root) {
                        (void)root.IntOr("i", 5);
                        (void)root.BoolOr("b", true);
                        (void)root.MapOrNone("m");
                      }),
            "f.yaml:1:3: i: found nothing, wanted a whole number\n"
            "f.yaml:2:4: b: found nothing, wanted true or false\n"
            "f.yaml:3:3: m: found nothing, wanted a mapping");
}

TEST(ConfigReaderTest, OffIsAWordWhereAWordIsWanted) {
  const Read read = [](ConfigNode root) {
    EXPECT_EQ(root.OneOf("mode", kModes), 2U);
    EXPECT_EQ(root.String("country"), "no");
    EXPECT_EQ(root.Strings("list"), (std::vector<std::string>{"on", "x"}));
    EXPECT_FALSE(root.Bool("flag"));
  };
  EXPECT_EQ(MessageOf("mode: off\ncountry: no\nlist: [on, x]\nflag: off\n", read), "");
  EXPECT_EQ(MessageOf("mode: false\ncountry: no\nlist: []\nflag: off\n",
                      [](ConfigNode root) { (void)root.OneOf("mode", kModes); }),
            "f.yaml:1:7: mode: found false, wanted deny, warn or off\n"
            "f.yaml:2:1: country: unknown key\n"
            "f.yaml:3:1: list: unknown key\n"
            "f.yaml:4:1: flag: unknown key");
}

TEST(ConfigReaderTest, TablesOfNamesKeepTheirOrder) {
  const Read read = [](ConfigNode root) {
    auto members = root.Map("t").Members();
    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(members[0].first, "z");
    EXPECT_EQ(members[1].first, "a");
    EXPECT_EQ(members[1].second.AsInt(), 2);
  };
  EXPECT_EQ(MessageOf("t: {z: 1, a: 2}\n", read), "");
}

struct ErrorCase {
  std::string_view yaml;
  Read read;
  std::string_view message;
};

class ConfigErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(ConfigErrorTest, NamesFilePlaceKeyAndWish) {
  EXPECT_EQ(MessageOf(GetParam().yaml, GetParam().read), GetParam().message);
}

void ReadRule(ConfigNode root) {
  for (ConfigNode row : root.List("rules")) {
    (void)row.String("id");
    (void)row.OneOfOr("mode", kModes, 0);
    (void)row.IntOr("limit", 0, {1, 9});
    (void)row.BoolOr("active", true);
    (void)row.StringsOrNone("names");
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ConfigErrorTest,
    testing::Values(
        ErrorCase{"rules:\n- id: 7\n", ReadRule,
                  "f.yaml:2:7: rules[0].id: found 7, wanted a string"},
        ErrorCase{"rules:\n- id: ''\n", ReadRule,
                  "f.yaml:2:7: rules[0].id: found \"\", wanted a string that is not empty"},
        ErrorCase{"rules:\n- mode: warn\n", ReadRule,
                  "f.yaml:2:3: rules[0].id: missing, wanted a string"},
        ErrorCase{"rules:\n- id: a\n  mode: loud\n", ReadRule,
                  "f.yaml:3:9: rules[0].mode: found \"loud\", wanted deny, warn or off"},
        ErrorCase{"rules:\n- id: a\n  limit: 10\n", ReadRule,
                  "f.yaml:3:10: rules[0].limit: found 10, wanted a whole number from 1 to 9"},
        ErrorCase{"rules:\n- id: a\n  limit: 010\n", ReadRule,
                  "f.yaml:3:10: rules[0].limit: found 010, which is octal to some and decimal to "
                  "others, wanted a whole number from 1 to 9"},
        ErrorCase{"rules:\n- id: a\n  limit: 18446744073709551615\n", ReadRule,
                  "f.yaml:3:10: rules[0].limit: found 18446744073709551615, "
                  "wanted a whole number from 1 to 9"},
        ErrorCase{"rules:\n- id: a\n  limit: 1.5\n", ReadRule,
                  "f.yaml:3:10: rules[0].limit: found 1.5, wanted a whole number from 1 to 9"},
        ErrorCase{"rules:\n- id: a\n  active: maybe\n", ReadRule,
                  "f.yaml:3:11: rules[0].active: found \"maybe\", wanted true or false"},
        ErrorCase{"rules:\n- id: a\n  names: [b, [c]]\n", ReadRule,
                  "f.yaml:3:14: rules[0].names[1]: found a list, wanted a string"},
        ErrorCase{"rules: {id: a}\n", ReadRule,
                  "f.yaml:1:8: rules: found a mapping, wanted a list"},
        ErrorCase{"rules: [a]\n", ReadRule, "f.yaml:1:9: rules[0]: found \"a\", wanted a mapping"},
        ErrorCase{"rules: [~]\n", ReadRule,
                  "f.yaml:1:9: rules[0]: found nothing, wanted a mapping"},
        ErrorCase{"- a\n", ReadRule, "f.yaml:1:1: found a list, wanted a mapping"},
        ErrorCase{"", ReadRule, "f.yaml:1:1: rules: missing, wanted a list"}));

INSTANTIATE_TEST_SUITE_P(
    UnknownKeys, ConfigErrorTest,
    testing::Values(ErrorCase{"rules: []\nrulez: []\n", ReadRule,
                              "f.yaml:2:1: rulez: unknown key, did you mean \"rules\"?"},
                    ErrorCase{"rules:\n- id: a\n  colour: red\n", ReadRule,
                              "f.yaml:3:3: rules[0].colour: unknown key"},
                    ErrorCase{
                        "rules:\n- id: a\n  x: 1\n  v: {z: 1}\n- id: b\n  w: 1\n", ReadRule,
                        "f.yaml:3:3: rules[0].x: unknown key\nf.yaml:4:3: rules[0].v: unknown key\n"
                        "f.yaml:6:3: rules[1].w: unknown key"},
                    ErrorCase{"rules:\n- id: a\n  \"x\\ny\": 1\n", ReadRule,
                              "f.yaml:3:3: rules[0]['x\xEF\xBF\xBDy']: unknown key"}));

INSTANTIATE_TEST_SUITE_P(
    Text, ConfigErrorTest,
    testing::Values(ErrorCase{"rules: []\nrules: []\n", ReadRule,
                              "f.yaml:2:1: duplicate key \"rules\" (first on line 1, again on "
                              "line 2)"},
                    ErrorCase{"rules: []\n---\na: 1\n", ReadRule,
                              "f.yaml:3:1: found a second YAML document, one is wanted"}));

TEST(ConfigReaderTest, ErrorsOfTheReadersOwnTakeTheirPlaceInTheOrder) {
  const Read read = [](ConfigNode root) {
    root.Fail("b", "b is too small");
    root.Fail("a", "a is too large");
    (void)root.Int("a");
    (void)root.Int("b");
  };
  EXPECT_EQ(MessageOf("a: 1\nb: 2\n", read),
            "f.yaml:1:4: a: a is too large\nf.yaml:2:4: b: b is too small");
}

TEST(ConfigReaderTest, AMissingMapIsReportedOnce) {
  const Read read = [](ConfigNode root) {
    ConfigNode map = root.Map("m");
    EXPECT_EQ(map.Int("i"), 0);
    EXPECT_TRUE(map.List("l").empty());
    EXPECT_TRUE(map.Members().empty());
  };
  EXPECT_EQ(MessageOf("a: 1\n",
                      [&](ConfigNode root) {
                        read(root);
                        (void)root.Int("a");
                      }),
            "f.yaml:1:1: m: missing, wanted a mapping");
}

TEST(ConfigReaderTest, AsFlagReadsWhatACommandLineHas) {
  std::vector<std::string> words;
  const Read read = [&](ConfigNode root) {
    for (auto& [key, node] : root.Members()) words.push_back(node.AsFlag());
  };
  EXPECT_EQ(MessageOf("a: 10250\nb: false\nc: off\nd: 5s\ne: 1.30\nf: 0x10\ng: ''\n", read), "");
  EXPECT_EQ(words, (std::vector<std::string>{"10250", "false", "false", "5s", "1.30", "16", ""}));
  EXPECT_EQ(MessageOf("a: [1]\n", read),
            "f.yaml:1:4: a: found a list, wanted a word, a number or true or false");
}

TEST(ConfigReaderTest, TellsTheFirstErrorsAndCountsTheOthers) {
  std::string yaml = "rules: []\n";
  for (int i = 0; i < 80'000; ++i) yaml += "k" + std::to_string(i) + ": 1\n";
  const std::string message = MessageOf(yaml, ReadRule);
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 20);
  EXPECT_TRUE(message.starts_with("f.yaml:2:1: k0: unknown key\n")) << message;
  EXPECT_TRUE(message.ends_with("f.yaml: and 79980 more")) << message;
  for (int i = 0; i < 80'000; ++i) yaml += "l" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(MessageOf(yaml, ReadRule), "f.yaml:100001:1: more than 200000 values");
}

}  // namespace
}  // namespace tpu_admission::config_reader_test
