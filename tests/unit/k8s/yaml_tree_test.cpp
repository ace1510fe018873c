#include "tpu_admission/k8s/yaml_tree.h"

#include <gtest/gtest.h>

#include <string>

#include "support/yaml_json.h"

namespace tpu_admission::k8s::yaml_tree_test {
namespace {

class YamlTreeTest : public testing::TestWithParam<std::string_view> {};

// The tree is that of the review: what the parser makes of the JSON that kubectl would send.
TEST_P(YamlTreeTest, IsTheTreeOfTheJson) {
  const YamlStream stream = ReadYaml(GetParam());
  ASSERT_EQ(stream.documents.size(), 1U);
  const YamlNode& root = *stream.documents.front().root;
  std::string json;
  AppendJson(json, root);
  JsonParser parser;
  const Result<JsonView> parsed = parser.Parse(json);
  ASSERT_TRUE(parsed) << parsed.error().message;
  Arena arena;
  EXPECT_TRUE(Equal(TreeOf(root, arena), *parsed)) << json;
}

INSTANTIATE_TEST_SUITE_P(
    All, YamlTreeTest,
    testing::Values("a: [1, -2, 0x10, 1e3, 1.5, 1e400, 18446744073709551615, -9223372036854775808]",
                    "b: [yes, off, ~, '', text, \"\\u00e9\\n\"]", "c: {d: {}, e: []}", "--- 7",
                    "x: &x {k: [1, 2]}\ny: *x\nz: {<<: *x, k: 3}\n",
                    "{\"a\": \"\\ud83d\\ude00\"}"));

TEST(YamlTreeTest, IsReadAsAReviewIs) {
  const YamlStream stream = ReadYaml("spec:\n  replicas: 3\n  containers: [{name: jax}]\n");
  Arena arena;
  const JsonView tree = TreeOf(*stream.documents.front().root, arena);
  EXPECT_EQ(tree["spec"]["replicas"].AsInteger(), 3);
  EXPECT_EQ(tree["spec"]["containers"].Element(0)["name"].AsString(), "jax");
  EXPECT_FALSE(tree["spec"]["none"].present());
}

}  // namespace
}  // namespace tpu_admission::k8s::yaml_tree_test
