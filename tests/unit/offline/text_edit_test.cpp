#include "tpu_admission/offline/text_edit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "tpu_admission/offline/unified_diff.h"

namespace tpu_admission::offline::text_edit_test {
namespace {

using k8s::JsonEdit;
using k8s::JsonScalar;

JsonEdit Set(const std::string& pointer, std::int64_t value) {
  return {pointer, JsonScalar(value)};
}
JsonEdit Set(const char* pointer, const char* value) {
  return {pointer, JsonScalar(std::string(value))};
}

Result<std::string> EditText(std::string_view text, std::vector<JsonEdit> edits,
                             std::size_t document = 0) {
  TPU_ADMISSION_TRY(const std::vector<TextChange> changes,
                    ChangesOf(text, ReadYaml(text), document, std::move(edits)));
  return Changed(text, changes);
}

struct Case {
  const char* name;
  const char* before;
  std::vector<JsonEdit> edits;
  const char* after;  // nullptr: the text is left alone, with an error
};

class TextEdit : public testing::TestWithParam<Case> {};

TEST_P(TextEdit, TouchesOnlyTheValue) {
  const Result<std::string> edited = EditText(GetParam().before, GetParam().edits);
  if (GetParam().after == nullptr) {
    EXPECT_FALSE(edited);
  } else {
    ASSERT_TRUE(edited) << edited.error().message;
    EXPECT_EQ(*edited, GetParam().after);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TextEdit,
    testing::Values(
        Case{"Scalar", "# c\na: 1  # why\nb: 2\n", {Set("/a", 7)}, "# c\na: 7  # why\nb: 2\n"},
        Case{
            "Quotes", "a: \"8\"\nb: '8'\n", {Set("/a", "4"), Set("/b", "4")}, "a: \"4\"\nb: '4'\n"},
        Case{"AnAmountInQuotes", "a/b: '8'\n", {Set("/a~1b", 4)}, "a/b: '4'\n"},
        Case{"AnAmountOfCpuInQuotes",
             "requests: {cpu: \"8\"}\nlimits: {cpu: '8'}\n",
             {Set("/requests/cpu", 4), Set("/limits/cpu", 4)},
             "requests: {cpu: \"4\"}\nlimits: {cpu: '4'}\n"},
        Case{"NewKeyBehindNothing",
             "a:\n  limits:  # of it\n  b: 1\n",
             {Set("/a/limits/google.com~1tpu", 4), Set("/a/limits/cpu", 1)},
             "a:\n  limits: {google.com/tpu: 4, cpu: 1}  # of it\n  b: 1\n"},
        Case{"NewKeyBehindNothingAtTheEnd", "a:\n  b:", {Set("/a/b/c", 4)}, "a:\n  b: {c: 4}"},
        Case{"NewKeyInThePlaceOfNull",
             "a: null\nb: ~\n",
             {Set("/a/c/d", 4), Set("/b/c", 4)},
             "a: {c: {d: 4}}\nb: {c: 4}\n"},
        Case{"NewKeyInThePlaceOfNullOfJson",
             R"({"a": null})",
             {Set("/a/c", 4)},
             R"({"a": {"c": 4}})"},
        Case{"NewKeyBehindTheAnchorOfNothing", "a: &x\nb: *x\n", {Set("/a/c", 4)}, nullptr},
        Case{"ACountInQuotes", "a: '8'\n", {Set("/a", 4)}, "a: 4\n"},
        Case{"ACountInQuotesOfJson", R"({"a": "8"})", {Set("/a", 4)}, R"({"a": 4})"},
        Case{"NeedsQuotes", "a: x\n", {Set("/a", "4")}, "a: \"4\"\n"},
        Case{"AnAnchorStays", "a: &x 8  # why\n", {Set("/a", 4)}, "a: &x 4  # why\n"},
        Case{"AnAnchorStaysBeforeQuotes", "a: &x '8'\n", {Set("/a", "4")}, "a: &x '4'\n"},
        Case{
            "AnAliasFollows", "a: &x 8\nb: *x\n", {Set("/a", 4), Set("/b", 4)}, "a: &x 4\nb: *x\n"},
        Case{"AnAliasOfAnother", "a: &x 8\nb: *x\n", {Set("/a", 4)}, nullptr},
        Case{"Topology", "a: {t: 3x3, b: 1}\n", {Set("/a/t", "2x4")}, "a: {t: 2x4, b: 1}\n"},
        Case{"NewKeyInABlock",
             "a:\n  # first\n  b: 1\n  c: 2\n",
             {Set("/a/google.com~1tpu", 4)},
             "a:\n  google.com/tpu: 4\n  # first\n  b: 1\n  c: 2\n"},
        Case{"NewKeyAboveAllCommentsOfTheFirst",
             "x: 1\na:  # a\n\n  # first\n# of b\n  b: 1\n",
             {Set("/a/c/d", 4)},
             "x: 1\na:  # a\n\n  c: {d: 4}\n  # first\n# of b\n  b: 1\n"},
        Case{"NewKeyAboveACommentInLinesOfWindows",
             "a:\r\n  # first\r\n  b: 1\r\n",
             {Set("/a/c", 4)},
             "a:\r\n  c: 4\r\n  # first\r\n  b: 1\r\n"},
        Case{"NewKeyInLinesOfWindows",
             "a:\r\n  b: 1\r\n  d: 2\r\n",
             {Set("/a/c", 4)},
             "a:\r\n  c: 4\r\n  b: 1\r\n  d: 2\r\n"},
        Case{"TwoNewKeysAboveAComment",
             "a:\n  # first\n  b: 1\n",
             {Set("/a/c", 4), Set("/a/d", 5)},
             "a:\n  c: 4\n  d: 5\n  # first\n  b: 1\n"},
        Case{"ACommentOfAllTheDocumentStaysAtItsTop",
             "# all\nb: 1\n",
             {Set("/c", 4)},
             "# all\nc: 4\nb: 1\n"},
        Case{"NewKeyInAListItem", "a:\n- b: 1\n", {Set("/a/0/c", 2)}, "a:\n- c: 2\n  b: 1\n"},
        Case{"NewKeyInAFlow", "a: {b: 1}\n", {Set("/a/c", 2)}, "a: {c: 2, b: 1}\n"},
        Case{"NewMap", "a:\n  b: 1\n", {Set("/a/c/d", 2)}, "a:\n  c: {d: 2}\n  b: 1\n"},
        Case{
            "Json", "{\"a\": {\"b\": \"3x3\"}}", {Set("/a/b", "2x4")}, "{\"a\": {\"b\": \"2x4\"}}"},
        Case{"NewKeyInJson",
             "{\"a\": {\"b\": 1}}",
             {Set("/a/c/d", "x")},
             "{\"a\": {\"c\": {\"d\": \"x\"}, \"b\": 1}}"},
        Case{"NumberOfJson", R"({"a": 3})", {Set("/a", "2x4")}, R"({"a": "2x4"})"},
        Case{"ListOfJson", R"([{"a": 1}])", {Set("/0/c", "x")}, R"([{"c": "x", "a": 1}])"},
        Case{"EmptyJson", "[[], {}]", {Set("/1/c", "x")}, R"([[], {"c": "x"}])"},
        Case{"AliasInTheWay", "a: &x {b: 1}\nc: *x\n", {Set("/a/b", 2)}, nullptr},
        Case{"OneValueForTwo",
             "a: &x {b: 1}\nc: *x\n",
             {Set("/a/b", 2), Set("/c/b", 2)},
             "a: &x {b: 2}\nc: *x\n"},
        Case{"OneNewKeyForTwo",
             "a: &x\n  b: 1\nc: *x\n",
             {Set("/a/d", 2), Set("/c/d", 2)},
             "a: &x\n  d: 2\n  b: 1\nc: *x\n"},
        Case{"TwoValuesForOne", "a: &x {b: 1}\nc: *x\n", {Set("/a/b", 2), Set("/c/b", 3)}, nullptr},
        Case{"MergedIn", "x: &x {b: 1}\na:\n  <<: *x\n", {Set("/a/b", 2)}, nullptr},
        Case{"Removal", "a: 1\n", {{"/a", std::nullopt}}, "{}\n"},
        Case{"RemovalOfALine",
             "a:\n  b: 1  # b\n  # c\n  c: 2\n",
             {{"/a/b", std::nullopt}},
             "a:\n  # c\n  c: 2\n"},
        Case{
            "RemovalOfTheLastLine", "a:\n  b: 1\n  c: 2", {{"/a/c", std::nullopt}}, "a:\n  b: 1\n"},
        Case{"RemovalOfTheOnlyOne",
             "a:\n  b: 1\nc: 2\n",
             {{"/a/b", std::nullopt}},
             "a:\n  {}\nc: 2\n"},
        Case{"RemovalOfABlockScalar",
             "a:\n  b: >-\n    x\n  # c\n\n  c: 2\n",
             {{"/a/b", std::nullopt}},
             "a:\n  # c\n\n  c: 2\n"},
        Case{"RemovalOfABlockScalarAtTheEnd",
             "a:\n  c: 2\n  b: |+\n    x\n    # of the value\n\n# licence\n# kept\n",
             {{"/a/b", std::nullopt}},
             "a:\n  c: 2\n\n# licence\n# kept\n"},
        Case{"RemovalOfTheOnlyBlockScalar",
             "a:\n  b: >-\n    x\n  # c\nc: 2\n",
             {{"/a/b", std::nullopt}},
             "a:\n  {}\n  # c\nc: 2\n"},
        Case{"ABlockScalar",
             "a:\n  b: |\n    x\n  # c\n  c: >-\r\n    x\r\n  # d\r\n",
             {Set("/a/b", "z"), Set("/a/c", 4)},
             "a:\n  b: z\n  # c\n  c: 4\r\n  # d\r\n"},
        Case{"ABlockScalarWithAComment",
             "a: &x |-  # why\n  x # y\n",
             {Set("/a", "z")},
             "a: &x z  # why\n"},
        Case{"ABlockScalarWithACommentThatWouldBeNone",
             "a: |#why\n  x\n",
             {Set("/a", "z")},
             nullptr},
        Case{"ABlockScalarAtTheEnd", "a: |\n  x", {Set("/a", "z")}, "a: z"},
        Case{"AnEmptyBlockScalar", "a: |\n# b\nb: 1\n", {Set("/a", "z")}, "a: z\n# b\nb: 1\n"},
        Case{"AnotherKeyOfABlockScalar",
             "b: |-  # why\n  x\n# c\nc: 2\n",
             {{"/b", std::nullopt}, Set("/d", 1)},
             "d: 1  # why\n# c\nc: 2\n"},
        Case{"ACommentBehindAnAnchor", "a: &x # why\n  8\n", {Set("/a", 4)}, nullptr},
        Case{"ACommentBehindATag", "a: !!str # why\n  8\n", {Set("/a", 4)}, nullptr},
        Case{"RemovalInAFlow",
             "a: {b: 1, c: 2, d: 3}\n",
             {{"/a/c", std::nullopt}},
             "a: {b: 1, d: 3}\n"},
        Case{
            "RemovalAtTheEndOfAFlow", "a: {b: 1, c: 2}\n", {{"/a/c", std::nullopt}}, "a: {b: 1}\n"},
        Case{"RemovalOfAllOfAFlow", "a: {b: 1}\n", {{"/a/b", std::nullopt}}, "a: {}\n"},
        Case{"RemovalInAFlowWithComments",
             "a: {\n  b: 1,\n  c: 2,\n  # d\n  d: 3\n}\n",
             {{"/a/c", std::nullopt}},
             "a: {\n  b: 1,\n  # d\n  d: 3\n}\n"},
        Case{"RemovalInALineOfAFlowWithComments",
             "a: {b: 1, # b\n  # c\n  c: 2}\n",
             {{"/a/b", std::nullopt}},
             "a: { # b\n  # c\n  c: 2}\n"},
        Case{"RemovalAtTheEndOfAFlowWithComments",
             "a: {\n  b: 1, # b,\n  # c\n  c: 2\n}\n",
             {{"/a/c", std::nullopt}},
             "a: {\n  b: 1, # b,\n  # c\n}\n"},
        Case{"RemovalBeforeTheCommaAtTheEndOfAFlow",
             "a: {b: 1, # b\n  c: 2,\n}\n",
             {{"/a/c", std::nullopt}},
             "a: {b: 1, # b\n}\n"},
        Case{"RemovalInAFlowBeforeACommentAndItsComma",
             "a: {b: 1, c: 2 # c\n  , d: 3}\n",
             {{"/a/c", std::nullopt}},
             "a: {b: 1 # c\n  , d: 3}\n"},
        Case{"RemovalInAFlowBehindAnAlias",
             "a: {b: &x 1, c: *x, d: 2}\n",
             {{"/a/d", std::nullopt}},
             "a: {b: &x 1, c: *x, }\n"},
        Case{"RemovalInAFlowBeforeAMergeKey",
             "a: &x {b: 1}\nc: {d: 2, <<: *x}\n",
             {{"/c/d", std::nullopt}},
             "a: &x {b: 1}\nc: {<<: *x}\n"},
        Case{"RemovalAroundACommentInAFlow",
             "a: {b: # why\n  1, c: 2}\n",
             {{"/a/b", std::nullopt}},
             nullptr},
        Case{"RemovalBeforeACommentAtTheBeginOfAFlow",
             "a: {b: 1 # why\n  , c: 2}\n",
             {{"/a/b", std::nullopt}},
             nullptr},
        Case{"RemovalInAListItem",
             "a:\n- b: 1\n  c: 2\n",
             {{"/a/0/c", std::nullopt}},
             "a:\n- b: 1\n"},
        Case{"NewMapOfSeveral",
             "a:\n  b: 1\n",
             {Set("/a/c/d", 2), Set("/a/c/e/f", "x"), Set("/a/b", 3), Set("/a/c/e/g", "z")},
             "a:\n  c: {d: 2, e: {f: x, g: z}}\n  b: 3\n"},
        Case{"NewMapOfSeveralInJson",
             "{\"a\": {}}",
             {Set("/a/c/d", 2), Set("/a/c/e", 3)},
             "{\"a\": {\"c\": {\"d\": 2, \"e\": 3}}}"},
        Case{"SeveralInAnEmptyMap",
             "a: {}\n",
             {Set("/a/b", 1), Set("/a/c", "x"), Set("/a/d/e", 2)},
             "a: {b: 1, c: x, d: {e: 2}}\n"},
        Case{"ValueAndMapInOnePlace",
             "a:\n  b: 1\n",
             {Set("/a/c/d", 2), Set("/a/c/d/e", 3)},
             nullptr},
        Case{"AnotherKey",
             "a:\n  b: 1  # b\n  c: 2\n",
             {Set("/a/d", 1), {"/a/b", std::nullopt}},
             "a:\n  d: 1  # b\n  c: 2\n"},
        Case{"AnotherKeyInAFlow",
             "a: {b: 1}\n",
             {{"/a/b", std::nullopt}, Set("/a/d", 1)},
             "a: {d: 1}\n"},
        Case{"AnotherKeyInJson",
             "{\"a\": {\"b\": 1}}",
             {{"/a/b", std::nullopt}, Set("/a/d", 1)},
             "{\"a\": {\"d\": 1}}"},
        Case{"AnotherKeyKeepsWhatStandsBehindIt",
             "a:\n  \"b\": # why\n    'x'  # x\n  c: 2\n",
             {{"/a/b", std::nullopt}, Set("/a/d", "x")},
             "a:\n  d: # why\n    'x'  # x\n  c: 2\n"},
        Case{"AnotherKeyAndValueKeepWhatIsBetween",
             "a:\n  b: # why\n    x  # x\n  c: 2\n",
             {{"/a/b", std::nullopt}, Set("/a/d", "z")},
             "a:\n  d: # why\n    z  # x\n  c: 2\n"},
        Case{"AnotherKeyAtADash",
             "a:\n- b: 1\n  c: 2\n",
             {{"/a/0/b", std::nullopt}, Set("/a/0/d", 1)},
             "a:\n- d: 1\n  c: 2\n"},
        Case{"AnotherKeyAndOneMore",
             "a:\n  b: 1\n  c: 2\n",
             {{"/a/b", std::nullopt}, Set("/a/d", 1), Set("/a/e", 2)},
             "a:\n  e: 2\n  d: 1\n  c: 2\n"},
        Case{"RemovalAtADash", "a:\n- b: 1\n  c: 2\n", {{"/a/0/b", std::nullopt}}, nullptr},
        Case{"RemovalOfAList", "a: [1]\nb: 1\n", {{"/a", std::nullopt}}, nullptr},
        Case{"AMapInThePlace", "a: {b: 1}\n", {Set("/a", 1)}, nullptr}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(TextEdit, TellsNoOtherReasonThanTheTrueOne) {
  const auto why = [](const char* text, std::vector<JsonEdit> edits) {
    return EditText(text, std::move(edits)).error().message;
  };
  EXPECT_EQ(why("a: &a |-\n  x\nb: 1\nc: *a\n", {Set("/a", "z"), {"/b", std::nullopt}}),
            "an anchor, alias or merge key, or how a value is written stands in the way; change by "
            "hand: a: z, no b");
  EXPECT_EQ(why("a: &x {b: 1}\nc: *x\n", {Set("/a/b", 2), Set("/c/b", 3)}),
            "two changes are of one place; change by hand: a.b: 2, c.b: 3");
  EXPECT_EQ(why("a: {b: 1}\n", {Set("/a", 1)}),
            "a cannot be changed in the text; change by hand: a: 1");
}

TEST(TextEdit, LeavesOtherDocumentsAsTheyAre) {
  EXPECT_EQ(*EditText("a: 1\n---\na: 1\n", {Set("/a", 2)}, 1), "a: 1\n---\na: 2\n");
}

TEST(TextEdit, AKeyOfThreeDashesBeginsNoDocument) {
  EXPECT_EQ(*EditText("a: 0\n---: 0\n---\nb: 1\n", {Set("/---", 2)}), "a: 0\n---: 2\n---\nb: 1\n");
  EXPECT_EQ(*EditText("a: 0\n---: 0\n---\n}\n", {Set("/---", 2)}), "a: 0\n---: 2\n---\n}\n");
}

// Behind a value that ends in the same line it would be none.
TEST(TextEdit, AMarkerGoesOnBeginningItsLine) {
  EXPECT_FALSE(EditText("---\n... 1\n---\x01", {Set("", "")}));
}

TEST(TextEdit, ADocumentIsNotJoinedToTheNext) {
  EXPECT_EQ(*EditText("a: >\n---\nb: 1\n", {Set("/b", 2)}, 1), "a: >\n---\nb: 2\n");
  for (const char* const text : {">\n---\nb: 1\n", "a: >\n---\nb: 1\n", "a:\n- >\n---\nb: 1\n"}) {
    const char* const place = *text == '>' ? "" : text[2] == ' ' ? "/a" : "/a/0";
    const auto edited = EditText(text, {Set(place, "2x4")});
    EXPECT_TRUE(!edited || edited->find("\n---\nb: 1\n") != std::string::npos) << *edited;
  }
}

TEST(TextEdit, ManyItemsOfAListTakeLinearTime) {
  for (const std::string head : {"kind: List\nitems:\n", "", "items:\n- items:\n"}) {
    const bool nested = head.starts_with("items");
    std::string text = head;
    std::string wanted = head;
    std::vector<JsonEdit> edits;
    for (int i = 0; i < 20'000; ++i) {
      text += nested ? "  - {a: 1, b: 2}\n" : "- {a: 1, b: 2}\n";
      wanted += nested ? "  - {a: 3, c: 4}\n" : "- {a: 3, c: 4}\n";
      const std::string list = head.empty() ? "/" : nested ? "/items/0/items/" : "/items/";
      const std::string item = list + std::to_string(i);
      for (JsonEdit edit : {Set("/a", 3), JsonEdit{"/b", std::nullopt}, Set("/c", 4)}) {
        edit.pointer.insert(0, item);
        edits.push_back(std::move(edit));
      }
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto changes = ChangesOf(text, ReadYaml(text), 0, edits);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    ASSERT_TRUE(changes) << changes.error().message;
    EXPECT_EQ(Changed(text, *changes), wanted);
  }
}

TEST(TextEdit, AnItemThatOthersNameIsNotChanged) {
  for (const std::string list : {"items:\n", ""}) {
    const std::string text = list + "- &a {a: 1}\n- *a\n- {a: 1}\n";
    const std::string item = list.empty() ? "/" : "/items/";
    EXPECT_FALSE(EditText(text, {Set(item + "0/a", 2)}));
    EXPECT_FALSE(EditText(text, {Set(item + "1/a", 2)}));
    EXPECT_TRUE(EditText(text, {Set(item + "2/a", 2)}));
    EXPECT_FALSE(EditText(text, {Set(item + "2/a", 2), Set(item + "3/a", 2)}));
  }
}

TEST(UnifiedDiff, IsSafeOnATerminal) {
  EXPECT_EQ(ShownDiff(" a\tb\r\n-c\xE2\x80\xAE\n ::error::x\n"),
            " a b\n-c\xEF\xBF\xBD\n\xEF\xBF\xBD ::error::x\n");
}

TEST(UnifiedDiff, ShowsTheLinesAround) {
  EXPECT_EQ(UnifiedDiff("f", "1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nx\n6\n7\n8\n"),
            "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
  EXPECT_EQ(UnifiedDiff("f", "1\n", "1\n"), "");
}

TEST(UnifiedDiff, NamesAFileAsGitDoes) {
  const auto head = [](std::string_view name) {
    const std::string diff = UnifiedDiff(name, "1\n", "2\n");
    return diff.substr(0, diff.find('\n'));
  };
  EXPECT_EQ(head("d/f.yaml"), "--- a/d/f.yaml");
  EXPECT_EQ(head("sp ace"), "--- a/sp ace\t");
  EXPECT_EQ(head("trail "), "--- \"a/trail \"");
  EXPECT_EQ(head("t\tab x"), "--- \"a/t\\tab x\"");
  EXPECT_EQ(head("a\"\\\n\x01\x7F"), "--- \"a/a\\\"\\\\\\n\\001\\177\"");
  EXPECT_EQ(head("\xC3\xA9"), "--- a/\xC3\xA9");
  EXPECT_EQ(head("\xE9"), "--- \"a/\\351\"");
}

}  // namespace
}  // namespace tpu_admission::offline::text_edit_test
