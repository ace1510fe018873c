#include "tpu_admission/offline/text_patch.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tpu_admission::offline::text_patch_test {
namespace {

struct PatchCase {
  const char* name;
  const char* text;
  const char* path;
  const char* value;
  const char* wanted;  // nullptr: an error
};

class TextPatchTest : public testing::TestWithParam<PatchCase> {};

TEST_P(TextPatchTest, AddsAndLeavesTheRest) {
  const PatchCase& given = GetParam();
  const std::string patch =
      std::string(R"([{"op":"add","path":")") + given.path + R"(","value":)" + given.value + "}]";
  const auto changes = PatchText(given.text, ReadYaml(given.text), 0, "/s", patch);
  ASSERT_EQ(changes.ok(), given.wanted != nullptr);
  if (!changes) return;
  EXPECT_EQ(Changed(given.text, *changes), given.wanted);
}

INSTANTIATE_TEST_SUITE_P(
    All, TextPatchTest,
    testing::Values(
        PatchCase{"AList", "s:\n  a: 1  # why\n  # end\nt: 2\n", "/b", R"([{"k":"v","w":1}])",
                  "s:\n  a: 1  # why\n  b:\n  - k: v\n    w: 1\n  # end\nt: 2\n"},
        PatchCase{"BehindTheCommentsOfTheLastValue",
                  "s:\n  a:\n  - b: 1\n    # of b\n\n  # - b: 2\n# of t\nt: 1\n", "/c", "2",
                  "s:\n  a:\n  - b: 1\n    # of b\n\n  # - b: 2\n  c: 2\n# of t\nt: 1\n"},
        PatchCase{"BehindWhatIsDeeperAlone", "s:\n  a:\n    b: 1\n    # of b\n  # of a", "/c", "2",
                  "s:\n  a:\n    b: 1\n    # of b\n  c: 2\n  # of a"},
        PatchCase{"BehindACommentWithoutAnEnd", "s:\n  a:\n    b: 1\n    # of b", "/c", "2",
                  "s:\n  a:\n    b: 1\n    # of b\n  c: 2"},
        PatchCase{"AnItemBehindTheCommentsOfTheLast",
                  "s:\n  a:\n  - b: 1\n    # of b\n  # of t\n  t: 1\n", "/a/-", R"({"k":"v"})",
                  "s:\n  a:\n  - b: 1\n    # of b\n  - k: v\n  # of t\n  t: 1\n"},
        PatchCase{"AListAsOthersAreIndented", "s:\n  a:\n    - 1\n", "/b", R"([{"k":"v"}])",
                  "s:\n  a:\n    - 1\n  b:\n    - k: v\n"},
        PatchCase{"AMap", "s:\n  a:\n    b: |\n      x\nt: 1\n", "/c", R"({"d":{"e":"1m"}})",
                  "s:\n  a:\n    b: |\n      x\n  c:\n    d:\n      e: 1m\nt: 1\n"},
        PatchCase{"AnItem", "s:\n  a:\n  - {b: 1}\nt: 1\n", "/a/-", R"({"k":"v","w":"2"})",
                  "s:\n  a:\n  - {b: 1}\n  - k: v\n    w: \"2\"\nt: 1\n"},
        PatchCase{"AnItemOfAFlow", "s: {a: [1]}\n", "/a/-", R"({"k":"v"})",
                  "s: {a: [1, {k: v}]}\n"},
        PatchCase{"AMemberOfAFlow", "s: {a: [1]}\n", "/b", "2", "s: {a: [1], b: 2}\n"},
        PatchCase{"AnEmptyFlowWithAComment", "s:\n  a: [ # none\n  ]\n", "/a", "[1]", nullptr},
        PatchCase{"AnEmptyFlow", "s: {a: {}}\n", "/a/b", "2", "s: {a: {b: 2}}\n"},
        PatchCase{"Nothing", "s:\n  a:\n  b: 1\n", "/a", R"(["x"])", "s:\n  a: [x]\n  b: 1\n"},
        PatchCase{"Replaces", "s:\n  a: Default  # why\n", "/a", R"("First")",
                  "s:\n  a: First  # why\n"},
        PatchCase{"Json", "{\"s\": {\"a\": 1}}", "/b", R"([{"k":"v"}])",
                  R"({"s": {"a": 1, "b": [{"k":"v"}]}})"},
        PatchCase{"NullOfJson", R"({"s": {"a": null}})", "/a", R"({"k":"v"})",
                  R"({"s": {"a": {"k":"v"}}})"},
        PatchCase{"NoLineAtTheEnd", "s:\n  a: 1", "/b", R"({"c":1})", "s:\n  a: 1\n  b:\n    c: 1"},
        PatchCase{"LinesOfWindows", "s:\r\n  a: 1\r\n", "/b", R"({"c":1})",
                  "s:\r\n  a: 1\r\n  b:\r\n    c: 1\r\n"},
        PatchCase{"AnAnchorStays", "s:\n  a: &x {}\n", "/a", R"({"c":1})", "s:\n  a: &x {c: 1}\n"},
        PatchCase{"AnAliasInTheWay", "t: &t {a: 1}\ns: *t\n", "/b", "2", nullptr},
        PatchCase{"NoWay", "s:\n  a: 1\n", "/b/c", "2", nullptr}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(TextPatchTest, SaysWhatToAddByHand) {
  const std::string patch = R"([{"op":"add","path":"/b","value":{"c":"x"}},)"
                            R"({"op":"add","path":"/d/-","value":{"e":1}}])";
  const auto why = [&](const char* text) {
    return PatchText(text, ReadYaml(text), 0, "/s", patch).error().message;
  };
  EXPECT_EQ(
      why("t: &t {d: [1]}\ns: *t\n"),
      "an anchor, alias or merge key, or how a value is written stands in the way; add by hand: "
      "s.b: {c: x}, s.d: - {e: 1}");
  EXPECT_EQ(why("s: {d: 1}\n"),
            "the text has no place for it; add by hand: s.b: {c: x}, s.d: - {e: 1}");
}

TEST(TextPatchTest, FillsWhatIsEmpty) {
  const std::string patch = R"([{"op":"add","path":"/b","value":1},)"
                            R"({"op":"add","path":"/c","value":2},)"
                            R"({"op":"add","path":"/d","value":{"e":3}}])";
  for (const auto& [text, wanted] :
       {std::pair("s: {}  # why\n", "s: {b: 1, c: 2, d: {e: 3}}  # why\n"),
        std::pair("x: {s: 1}\ns:\n  {}\n", "x: {s: 1}\ns:\n  {b: 1, c: 2, d: {e: 3}}\n"),
        std::pair("{\"s\": {}}", R"({"s": {"b": 1, "c": 2, "d": {"e":3}}})")}) {
    const auto changes = PatchText(text, ReadYaml(text), 0, "/s", patch);
    ASSERT_TRUE(changes) << text;
    EXPECT_EQ(Changed(text, *changes), wanted);
  }
}

TEST(TextPatchTest, TouchesNoOtherDocument) {
  const std::string text = "s:\n  a: 1\n---\ns:\n  a: 1\n# end\n---\nb: 2\n";
  const auto changes =
      PatchText(text, ReadYaml(text), 1, "/s", R"([{"op":"add","path":"/c","value":1}])");
  ASSERT_TRUE(changes);
  EXPECT_EQ(Changed(text, *changes), "s:\n  a: 1\n---\ns:\n  a: 1\n  c: 1\n# end\n---\nb: 2\n");
}

class TextPatches : public testing::Test {
 protected:
  // Of `b`, to each item.
  PatchedText Patch(const std::string& text, std::size_t items,
                    const char* operations = R"([{"op":"add","path":"/b","value":2}])") {
    for (std::size_t i = 0; i < items; ++i) pointers_.push_back("/items/" + std::to_string(i));
    std::vector<TextPatch> patches;
    for (const std::string& pointer : pointers_) patches.push_back({pointer, operations});
    return PatchText(text, ReadYaml(text), 0, patches);
  }
  std::vector<std::string> pointers_;
};

TEST_F(TextPatches, ManyTakeLinearTime) {
  std::string text = "items:\n";
  std::string wanted = text;
  for (int i = 0; i < 10'000; ++i) {
    text += "- a: 1\n";
    wanted += "- a: 1\n  b: 2\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  const PatchedText patched = Patch(text, 10'000);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_TRUE(patched.problems.empty());
  EXPECT_EQ(Changed(text, patched.changes), wanted);
}

TEST_F(TextPatches, OneThatIsInTheWayCostsOnlyItself) {
  const std::string text = "items:\n- a: 1\n- &x\n  a: 1\n- *x\n- 5\n- a: 1\n";
  const PatchedText patched = Patch(text, 5);
  std::vector<std::size_t> left;
  for (const PatchProblem& problem : patched.problems) left.push_back(problem.patch.value());
  EXPECT_EQ(left, (std::vector<std::size_t>{3, 1, 2})) << "at once, then by trying";
  EXPECT_EQ(Changed(text, patched.changes),
            "items:\n- a: 1\n  b: 2\n- &x\n  a: 1\n- *x\n- 5\n- a: 1\n  b: 2\n");
}

TEST_F(TextPatches, ManyThatAreInTheWayAreNotTriedForEver) {
  std::string text = "items:\n";
  for (int i = 0; i < 10'000; ++i) text += "- &x" + std::to_string(i) + " {a: 1}\n";
  for (int i = 0; i < 10'000; ++i) text += "- *x" + std::to_string(i) + "\n";
  const auto begin = std::chrono::steady_clock::now();
  const PatchedText patched = Patch(text, 20'000);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  ASSERT_FALSE(patched.problems.empty());
  EXPECT_NE(patched.problems.back().text.find("split the list"), std::string::npos);
}

TEST_F(TextPatches, OfTwoThatMeetTheFirstIsTaken) {
  pointers_ = {"/a", "/a"};
  const PatchedText patched = Patch("a: old\n", 0, R"([{"op":"add","path":"","value":"new"}])");
  EXPECT_TRUE(patched.problems.empty());
  EXPECT_EQ(Changed("a: old\n", patched.changes), "a: new\n");
}

// Whatever the order of the patches: all of them end where the item ends.
TEST_F(TextPatches, WhatIsPutAtOnePlaceStandsTheDeeperFirst) {
  const char* const operations = R"([{"op":"add","path":"/tolerations","value":[{"key":"k"}]}])";
  const char* const deeper = R"([{"op":"add","path":"/requests","value":{"cpu":"1"}}])";
  const char* const item = R"([{"op":"add","path":"/-","value":"z"}])";
  const std::string text = "items:\n- l:\n  - x\n- m:\n    limits: 1\n- l:\n  - x\n";
  const TextPatch patches[] = {{"/items/0", operations}, {"/items/0/l", item},
                               {"/items/1", operations}, {"/items/1/m", deeper},
                               {"/items/2", operations}, {"/items/2/l", item}};
  const PatchedText patched = PatchText(text, ReadYaml(text), 0, patches);
  EXPECT_TRUE(patched.problems.empty());
  EXPECT_EQ(Changed(text, patched.changes),
            "items:\n- l:\n  - x\n  - z\n  tolerations:\n  - key: k\n"
            "- m:\n    limits: 1\n    requests:\n      cpu: \"1\"\n  tolerations:\n  - key: k\n"
            "- l:\n  - x\n  - z\n  tolerations:\n  - key: k\n");
}

}  // namespace
}  // namespace tpu_admission::offline::text_patch_test
