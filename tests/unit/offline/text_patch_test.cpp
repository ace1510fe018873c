#include "tpu_admission/offline/text_patch.h"

#include <gtest/gtest.h>

namespace tpu_admission::offline {
namespace {

struct PatchCase {
  const char* name;
  const char* text;
  const char* path;
  const char* value;
  const char* wanted;  // nullptr: an error
};

class TextPatch : public testing::TestWithParam<PatchCase> {};

TEST_P(TextPatch, AddsAndLeavesTheRest) {
  const PatchCase& given = GetParam();
  const std::string patch =
      std::string(R"([{"op":"add","path":")") + given.path + R"(","value":)" + given.value + "}]";
  const auto changes = PatchText(given.text, ReadYaml(given.text), 0, "/s", patch);
  ASSERT_EQ(changes.ok(), given.wanted != nullptr);
  if (!changes) return;
  EXPECT_EQ(Changed(given.text, *changes), given.wanted);
}

INSTANTIATE_TEST_SUITE_P(
    All, TextPatch,
    testing::Values(
        PatchCase{"AList", "s:\n  a: 1  # why\n  # end\nt: 2\n", "/b", R"([{"k":"v","w":1}])",
                  "s:\n  a: 1  # why\n  b:\n  - k: v\n    w: 1\n  # end\nt: 2\n"},
        PatchCase{"AListAsOthersAreIndented", "s:\n  a:\n    - 1\n", "/b", R"([{"k":"v"}])",
                  "s:\n  a:\n    - 1\n  b:\n    - k: v\n"},
        PatchCase{"AMap", "s:\n  a:\n    b: |\n      x\nt: 1\n", "/c", R"({"d":{"e":"1m"}})",
                  "s:\n  a:\n    b: |\n      x\n  c:\n    d:\n      e: 1m\nt: 1\n"},
        PatchCase{"AnItem", "s:\n  a:\n  - {b: 1}\nt: 1\n", "/a/-", R"({"k":"v","w":"2"})",
                  "s:\n  a:\n  - {b: 1}\n  - k: v\n    w: \"2\"\nt: 1\n"},
        PatchCase{"AnItemOfAFlow", "s: {a: [1]}\n", "/a/-", R"({"k":"v"})",
                  "s: {a: [1, {k: v}]}\n"},
        PatchCase{"AMemberOfAFlow", "s: {a: [1]}\n", "/b", "2", "s: {a: [1], b: 2}\n"},
        PatchCase{"AnEmptyFlow", "s: {a: {}}\n", "/a/b", "2", "s: {a: {b: 2}}\n"},
        PatchCase{"Nothing", "s:\n  a:\n  b: 1\n", "/a", R"(["x"])", "s:\n  a: [x]\n  b: 1\n"},
        PatchCase{"Replaces", "s:\n  a: Default  # why\n", "/a", R"("First")",
                  "s:\n  a: First  # why\n"},
        PatchCase{"Json", "{\"s\": {\"a\": 1}}", "/b", R"([{"k":"v"}])",
                  R"({"s": {"a": 1, "b": [{"k":"v"}]}})"},
        PatchCase{"NoLineAtTheEnd", "s:\n  a: 1", "/b", R"({"c":1})", "s:\n  a: 1\n  b:\n    c: 1"},
        PatchCase{"LinesOfWindows", "s:\r\n  a: 1\r\n", "/b", R"({"c":1})",
                  "s:\r\n  a: 1\r\n  b:\r\n    c: 1\r\n"},
        PatchCase{"AnAliasInTheWay", "t: &t {a: 1}\ns: *t\n", "/b", "2", nullptr},
        PatchCase{"NoWay", "s:\n  a: 1\n", "/b/c", "2", nullptr}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(TextPatch, TouchesNoOtherDocument) {
  const std::string text = "s:\n  a: 1\n---\ns:\n  a: 1\n# end\n---\nb: 2\n";
  const auto changes =
      PatchText(text, ReadYaml(text), 1, "/s", R"([{"op":"add","path":"/c","value":1}])");
  ASSERT_TRUE(changes);
  EXPECT_EQ(Changed(text, *changes), "s:\n  a: 1\n---\ns:\n  a: 1\n  c: 1\n# end\n---\nb: 2\n");
}

}  // namespace
}  // namespace tpu_admission::offline
