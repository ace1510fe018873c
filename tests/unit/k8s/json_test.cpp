// Cases 18 to 22 of the attack list: JSON as a stranger may send it.
#include "tpu_admission/k8s/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/case_name.h"

namespace tpu_admission::k8s::json_test {
namespace {

struct Text {
  std::string name;
  std::string json;
};

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

class RefusedJson : public testing::TestWithParam<Text> {};

TEST_P(RefusedJson, IsAnErrorOfOneLine) {
  JsonParser parser;
  const Result<JsonView> root = parser.Parse(GetParam().json);
  ASSERT_FALSE(root.ok());
  EXPECT_TRUE(root.error().message.starts_with("the body is not valid JSON: "));
  EXPECT_EQ(root.error().message.find('\n'), std::string::npos);
  EXPECT_TRUE(parser.Parse("{}").ok()) << "the parser is of no use after an error";
}

INSTANTIATE_TEST_SUITE_P(
    Case18, RefusedJson,
    testing::Values(Text{"Empty", ""}, Text{"Blank", " \n"}, Text{"Cut", R"({"a":[1,)"},
                    Text{"CutInString", R"({"a":"b)"}, Text{"CutInEscape", R"({"a":"\u12)"},
                    Text{"TrailingGarbage", "{}x"}, Text{"TwoDocuments", "{}{}"},
                    Text{"TwoLines", "{}\n{}"}, Text{"TrailingNul", std::string("{}\0", 3)},
                    Text{"ByteOrderMark", "\xEF\xBB\xBF{}"}, Text{"Utf16", {"\xFF\xFE{\0}\0", 6}},
                    Text{"Latin1", "\"\xE4\""}, Text{"LoneContinuation", "\"\x80\""},
                    Text{"Overlong", "\"\xC0\xAF\""}, Text{"EncodedSurrogate", "\"\xED\xA0\x80\""},
                    Text{"BeyondUnicode", "\"\xF4\x90\x80\x80\""}, Text{"CutUtf8", "\"\xE2\x82\""},
                    Text{"LoneHighSurrogate", R"("\ud800")"},
                    Text{"LoneLowSurrogate", R"("\udc00")"},
                    Text{"HighSurrogateTwice", R"("\ud800\ud800")"}, Text{"RawControl", "\"a\nb\""},
                    Text{"RawNul", std::string("\"a\0b\"", 5)}, Text{"BadEscape", R"("\x41")"},
                    Text{"SingleQuotes", "{'a':1}"}, Text{"Comment", "{} // no"},
                    Text{"TrailingComma", "[1,]"}, Text{"BareKey", "{a:1}"},
                    Text{"NoValue", R"({"a":})"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(Case19, RefusedJson,
                         testing::Values(Text{"OneTooDeep", Nested(JsonParser::kMaxDepth + 1)},
                                         Text{"TenThousandDeep", Nested(10'000)},
                                         Text{"MillionDeepAndOpen", std::string(1'000'000, '[')},
                                         Text{"ObjectsDeep",
                                              [] {
                                                std::string text;
                                                for (int i = 0; i < 10'000; ++i) text += R"({"a":)";
                                                return text;
                                              }()}),
                         CaseName());

INSTANTIATE_TEST_SUITE_P(Case22, RefusedJson,
                         testing::Values(Text{"LeadingZero", "01"}, Text{"Plus", "+4"},
                                         Text{"Hex", "0x4"}, Text{"NoFraction", "1."},
                                         Text{"NoInteger", ".5"}, Text{"NoExponent", "1e"},
                                         Text{"NotANumber", "NaN"}, Text{"Infinity", "Infinity"}),
                         CaseName());

TEST(Json, SaysWhetherATextIsCutOrGoesOnBehindItsEnd) {
  JsonParser parser;
  const auto fault = [&](std::string_view text) { return parser.Parse(text).error().message; };
  const std::string wrong = "the body is not valid JSON: ";
  for (const char* text : {"{} x", "{} x}", "[1] \"a\"", "{}{}", "{} ]"}) {
    EXPECT_THAT(fault(text), testing::StartsWith(wrong + "something stands behind it near byte "))
        << text;
  }
  EXPECT_EQ(fault("{} x"), wrong + "something stands behind it near byte 2");
  EXPECT_EQ(fault(R"({"a": [1], "b)"), wrong + "it ends too early near byte 13");
  EXPECT_EQ(fault("{"), wrong + "it ends too early near byte 1");
  EXPECT_EQ(fault(R"([{"a": "}"})"), wrong + "it ends too early near byte 11");
  EXPECT_EQ(fault(R"({"a": 1 2}, "b)"), wrong + "a comma or a bracket is missing near byte 8");
}

TEST(Json, SaysWhereATextIsNoUtf8) {
  JsonParser parser;
  const std::string wrong = "the body is not valid JSON: it is not UTF-8 near byte ";
  const auto fault = [&](std::string_view text) { return parser.Parse(text).error().message; };
  EXPECT_EQ(fault("{\"caf\xC3\xA9 \xFF\": 1}"), wrong + "8");
  EXPECT_EQ(fault("[\"\\n\xC3\"]"), wrong + "4");
  EXPECT_EQ(fault("{\"managedFields\": [\"\xED\xA0\x80\"]}"), wrong + "20");
  EXPECT_EQ(parser.Parse("[\"caf\xC3\xA9\"]")->Element(0).AsString(), "caf\xC3\xA9");
}

TEST(Json, Case19DepthUpToTheLimitIsRead) {
  JsonParser parser;
  EXPECT_TRUE(parser.Parse(Nested(JsonParser::kMaxDepth)).ok());
}

TEST(Json, Case18EscapesAreRead) {
  JsonParser parser;
  const Result<JsonView> root = parser.Parse(R"(["\u0000","\ud83d\ude00","\"\\\/\b\f\n\r\t","é"])");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(root->Element(0).AsString(), std::string_view("\0", 1));
  EXPECT_EQ(root->Element(1).AsString(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(root->Element(2).AsString(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(root->Element(3).AsString(), "\xC3\xA9");
}

TEST(Json, Case21LastOfDuplicateKeysCounts) {
  JsonParser parser;
  // A few keys, and more than a linear search looks through: two ways to find a member.
  std::string many = R"({"containers":"first")";
  for (int i = 0; i < 100; ++i) many += ",\"k" + std::to_string(i) + "\":0";
  many += R"(,"containers":"last"})";
  for (const std::string& text :
       {std::string(R"({"containers":"first","x":1,"containers":"last"})"), many}) {
    const Result<JsonView> root = parser.Parse(text);
    ASSERT_TRUE(root.ok());
    EXPECT_EQ((*root)["containers"].AsString(), "last");
  }
}

TEST(Json, Case21KeysAreCaseSensitive) {
  JsonParser parser;
  const Result<JsonView> root = parser.Parse(R"({"Spec":1,"SPEC":2})");
  EXPECT_FALSE((*root)["spec"].present());
}

// Keys that collide in a table without a seed, and plain ones: half a million in far less than the
// quadratic time of a bad table (which would be minutes).
TEST(Json, Case20ManyKeysTakeLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 140'000; ++i) text += "\"key-" + std::to_string(i) + "\":1,";
  text += "\"last\":2}";
  JsonParser parser;
  const auto start = std::chrono::steady_clock::now();
  const Result<JsonView> root = parser.Parse(text);
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(root->size(), 140'001U);
  EXPECT_EQ((*root)["last"].AsInteger(), 2);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Json, Case22NumbersAreReadExactlyOrNotAtAll) {
  JsonParser parser;
  const Result<JsonView> root = parser.Parse(
      R"([4, -0, 9223372036854775807, -9223372036854775808, 9223372036854775808, 1e3, 4.0, 4.5,
          "4", true, 1e999])");
  if (root.ok()) {
    const auto integer = [&](std::size_t i) { return root->Element(i).AsInteger(); };
    EXPECT_EQ(integer(0), 4);
    EXPECT_EQ(integer(1), 0);
    EXPECT_EQ(integer(2), INT64_MAX);
    EXPECT_EQ(integer(3), INT64_MIN);
    EXPECT_EQ(integer(4), std::nullopt);
    EXPECT_EQ(integer(5), 1000);
    EXPECT_EQ(integer(6), 4);
    EXPECT_EQ(integer(7), std::nullopt);
    EXPECT_EQ(integer(8), std::nullopt);
    EXPECT_EQ(integer(9), std::nullopt);
    EXPECT_EQ(integer(10), std::nullopt);
    EXPECT_EQ(root->Element(7).AsDouble(), 4.5);
    EXPECT_EQ(root->Element(8).AsDouble(), std::nullopt);
  } else {
    FAIL() << root.error().message;
  }
}

TEST(JsonViewTest, WhatIsNotThereIsAbsentEverywhere) {
  JsonParser parser;
  const JsonView root = *parser.Parse(R"({"a":{"b":[1,null]},"n":null,"s":"t"})");
  EXPECT_EQ(root.Follow("a/b").Element(0).AsInteger(), 1);
  EXPECT_TRUE(root.Follow("").is_object());
  for (const JsonView view :
       {JsonView(), root["x"], root["s"]["x"], root["n"]["x"], root.Follow("a/b/c"),
        root.Follow("a//b"), root["a"].Element(0), root["a"]["b"].Element(2),
        root["a"]["b"].Member(0), root.Member(3), root["s"].Element(0)}) {
    EXPECT_FALSE(view.present());
    EXPECT_FALSE(view.has_value());
    EXPECT_FALSE(view.is_null());
    EXPECT_EQ(view.size(), 0U);
    EXPECT_EQ(view.AsString(), std::nullopt);
    EXPECT_EQ(view.AsInteger(), std::nullopt);
    EXPECT_EQ(view.AsDouble(), std::nullopt);
    EXPECT_FALSE(view.IsTrue());
    EXPECT_EQ(view.MemberKey(0), "");
    EXPECT_EQ(view.StringOr("otherwise"), "otherwise");
  }
  EXPECT_TRUE(root["n"].present());
  EXPECT_TRUE(root["n"].is_null());
  EXPECT_FALSE(root["n"].has_value());
}

struct Pair {
  std::string name;
  std::string a;
  std::string b;
  bool equal;
};

class JsonEquality : public testing::TestWithParam<Pair> {};

TEST_P(JsonEquality, ComparesValues) {
  JsonParser one;
  JsonParser other;
  const std::string a_text = "{" + GetParam().a + "}";
  const std::string b_text = "{" + GetParam().b + "}";
  const JsonView a = one.Parse(a_text).value()["v"];
  const JsonView b = other.Parse(b_text).value()["v"];
  EXPECT_EQ(Equal(a, b), GetParam().equal);
  EXPECT_EQ(Equal(b, a), GetParam().equal);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, JsonEquality,
    testing::Values(Pair{"Absent", "", "", true}, Pair{"AbsentAndNull", "", R"("v":null)", false},
                    Pair{"OrderOfKeys", R"("v":{"a":1,"b":[2]})", R"("v":{"b":[2],"a":1})", true},
                    Pair{"OrderOfItems", R"("v":[1,2])", R"("v":[2,1])", false},
                    Pair{"Deep", R"("v":{"a":[{"b":1}]})", R"("v":{"a":[{"b":2}]})", false},
                    Pair{"MissingKey", R"("v":{"a":1})", R"("v":{"a":1,"b":1})", false},
                    Pair{"TextAndNumber", R"("v":"4")", R"("v":4)", false}),
    CaseName());

TEST(Json, TakesMoreWhereItIsWished) {
  JsonParser parser({.max_unescaped = 8 << 20, .lone_surrogates = true});
  const std::string text(JsonParser::kMaxUnescaped, 'x');
  EXPECT_FALSE(JsonParser().Parse("[\"\\n" + text + "\"]").ok());
  EXPECT_EQ(parser.Parse("[\"\\n" + text + "\"]")->Element(0).AsString(), "\n" + text);
  const Result<JsonView> more = parser.Parse("[\"\\n" + text + text + text + "\"]");
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().message, "the body has more than 8388608 bytes of text with escapes");
  for (const char* alone : {R"(["\ud83d"])", R"(["\ude00"])"}) {
    EXPECT_EQ(parser.Parse(alone)->Element(0).AsString(), "\xEF\xBF\xBD") << alone;
  }
  EXPECT_EQ(parser.Parse(R"(["\ud83d\ud83d\ude00\ud83d\n"])")->Element(0).AsString(),
            "\xEF\xBF\xBD\xF0\x9F\x98\x80\xEF\xBF\xBD\n");
  EXPECT_FALSE(parser.Parse(R"(["\ud83d\u12"])").ok());
}

}  // namespace
}  // namespace tpu_admission::k8s::json_test
