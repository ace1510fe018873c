#include "tpu_admission/k8s/json_edit.h"

#include <gtest/gtest.h>

namespace tpu_admission::k8s::json_edit_test {
namespace {

struct Case {
  const char* json;
  JsonEdit edit;
  const char* patch;
  const char* at;  // the pointer to look at afterwards
  std::optional<std::string_view> text;
};

class EditTest : public testing::TestWithParam<Case> {};

TEST_P(EditTest, ChangesTheCopyAndNotTheTree) {
  JsonParser parser;
  Arena arena;
  const JsonView same = parser.Parse(GetParam().json).value();
  EXPECT_EQ(AsPatch(same, {&GetParam().edit, 1}), GetParam().patch);
  const JsonView edited = Edited(same, {&GetParam().edit, 1}, arena);
  EXPECT_EQ(At(edited, GetParam().at).AsString(), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    All, EditTest,
    testing::Values(
        Case{R"({"a":"x"})",
             {"/a", JsonScalar(std::string("y"))},
             R"([{"op":"replace","path":"/a","value":"y"}])",
             "/a",
             "y"},
        Case{R"({})",
             {"/a/b", JsonScalar(std::string("y"))},
             R"([{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":"y"}])",
             "/a/b",
             "y"},
        Case{R"({"a":null})",
             {"/a/b", JsonScalar(std::string("y"))},
             R"([{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":"y"}])",
             "/a/b",
             "y"},
        Case{R"({"a":[{"b":"x"}]})",
             {"/a/0/b", JsonScalar(std::string("y"))},
             R"([{"op":"replace","path":"/a/0/b","value":"y"}])",
             "/a/0/b",
             "y"},
        Case{R"({"a":[]})",
             {"/a/7", JsonScalar(std::string("y"))},
             R"([{"op":"add","path":"/a/7","value":"y"}])",
             "/a/7",
             std::nullopt},
        Case{R"({"x/y":{"c~d":"x"}})",
             {"/x~1y/c~0d", std::nullopt},
             R"([{"op":"remove","path":"/x~1y/c~0d"}])",
             "/x~1y/c~0d",
             std::nullopt},
        Case{R"({"a":"x"})", {"/b", std::nullopt}, "[]", "/a", "x"},
        Case{R"({"a":"x"})",
             {"/a/b", JsonScalar(std::int64_t{1})},
             R"([{"op":"add","path":"/a/b","value":1}])",
             "/a",
             "x"}));

TEST(Edited, SharesWhatItDoesNotTouch) {
  JsonParser parser;
  Arena arena;
  const JsonView root = parser.Parse(R"({"a":{"b":"x"},"c":"y"})").value();
  const JsonEdit edit{"/a/b", JsonScalar(std::string("z"))};
  const JsonView edited = Edited(root, {&edit, 1}, arena);
  EXPECT_EQ(At(edited, "/a/b").AsString(), "z");
  EXPECT_EQ(At(edited, "/c").AsString(), "y");
  EXPECT_EQ(At(root, "/a/b").AsString(), "x");
}

}  // namespace
}  // namespace tpu_admission::k8s::json_edit_test
