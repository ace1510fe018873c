#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/yaml_json.h"

namespace tpu_admission::yaml_structure_test {
namespace {

std::vector<std::string> JsonOf(std::string_view yaml) {
  const Result<std::vector<YamlJson>> documents = ParseYaml(yaml);
  if (!documents) return {"error: " + documents.error().message};
  std::vector<std::string> json;
  for (const YamlJson& document : *documents) json.push_back(document.json);
  return json;
}

struct Case {
  std::string_view yaml;
  std::vector<std::string> json;
};

std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.yaml; }

class StructureTest : public testing::TestWithParam<Case> {};

TEST_P(StructureTest, BecomesJson) {
  const std::vector<std::string> json = JsonOf(GetParam().yaml);
  EXPECT_EQ(json, GetParam().json);
  for (const std::string& text : json) EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Collections, StructureTest,
    testing::Values(Case{"a: 1\nb:\n  c: x\n", {R"({"a":1,"b":{"c":"x"}})"}},
                    Case{"a:\n- 1\n- b: 2\n  c: 3\n", {R"({"a":[1,{"b":2,"c":3}]})"}},
                    Case{"- - 1\n  - 2\n- 3\n", {"[[1,2],3]"}},
                    Case{"[a, {b: c}, [], {}]", {R"(["a",{"b":"c"},[],{}])"}},
                    Case{R"({"a": [true, null, 1.5], "b": "\u00e9"})",
                         {"{\"a\":[true,null,1.5],\"b\":\"\xC3\xA9\"}"}},
                    Case{"{a, b: }", {R"({"a":null,"b":null})"}},
                    Case{"? a\n? b\n", {R"({"a":null,"b":null})"}}, Case{"12", {"12"}},
                    Case{"!!map {a: 1}", {R"({"a":1})"}}, Case{"!!seq [1]", {"[1]"}},
                    Case{"! {a: 1}", {R"({"a":1})"}}));

INSTANTIATE_TEST_SUITE_P(Documents, StructureTest,
                         testing::Values(Case{"", {}}, Case{"# only a comment\n", {}},
                                         Case{"---\n", {"null"}},
                                         Case{"---\n---\n", {"null", "null"}},
                                         Case{"a: 1\n---\nb: 2\n...\n---\nc: 3\n",
                                              {R"({"a":1})", R"({"b":2})", R"({"c":3})"}},
                                         Case{"---\n# none\n---\na: 1\n", {"null", R"({"a":1})"}},
                                         Case{"%YAML 1.1\n---\na: 1\n", {R"({"a":1})"}},
                                         Case{"\xEF\xBB\xBF"
                                              "a: 1\n",
                                              {R"({"a":1})"}},
                                         Case{"a: 1\r\nb:\r\n  - c\r\n", {R"({"a":1,"b":["c"]})"}},
                                         Case{"a: b # comment\n# more\n", {R"({"a":"b"})"}}));

INSTANTIATE_TEST_SUITE_P(
    Anchors, StructureTest,
    testing::Values(Case{"x: &a {k: 1}\nv: *a\n", {R"({"x":{"k":1},"v":{"k":1}})"}},
                    Case{"x: &a 1\nv: &a 2\nz: *a\n", {R"({"x":1,"v":2,"z":2})"}},
                    Case{"x: &a [1]\nv: [*a, *a]\n", {R"({"x":[1],"v":[[1],[1]]})"}},
                    Case{"x: &k b\n*k : 2\n", {R"({"x":"b","b":2})"}}));

INSTANTIATE_TEST_SUITE_P(
    Merges, StructureTest,
    testing::Values(Case{"b: &b {k: 1, l: 2}\nm:\n  <<: *b\n  k: 9\n",
                         {R"({"b":{"k":1,"l":2},"m":{"k":9,"l":2}})"}},
                    Case{"b: &b {k: 1}\nm:\n  k: 9\n  <<: *b\n", {R"({"b":{"k":1},"m":{"k":1}})"}},
                    Case{"b: &b {k: 1}\nc: &c {k: 2, z: 3}\nm:\n  <<: [*b, *c]\n",
                         {R"({"b":{"k":1},"c":{"k":2,"z":3},"m":{"k":1,"z":3}})"}},
                    Case{"a: &a {x: 1}\nb: &b\n  <<: *a\n  v: 2\nc:\n  <<: *b\n  z: 3\n",
                         {R"({"a":{"x":1},"b":{"v":2,"x":1},"c":{"z":3,"v":2,"x":1}})"}},
                    Case{"m:\n  <<: {a: 1}\n  <<: {a: 2, b: 2}\n", {R"({"m":{"a":2,"b":2}})"}},
                    Case{"m:\n  '<<': 3\n", {R"({"m":{"<<":3}})"}}));

// What begins as JSON is read as JSON, one value after the other, and as YAML where it is none.
INSTANTIATE_TEST_SUITE_P(
    Json, StructureTest,
    testing::Values(Case{"{\"a\":1}{\"b\":2}\n[3]", {R"({"a":1})", R"({"b":2})", "[3]"}},
                    Case{"{\t\"a\":\t[true, false, null, -0.5, 1e2, \"\"],\t\"b\": {}}\n",
                         {R"({"a":[true,false,null,-0.5,100,""],"b":{}})"}},
                    Case{R"({"a": "\ud83d\ude00\u00e9\u20AC\n\/"})",
                         {"{\"a\":\"\xF0\x9F\x98\x80\xC3\xA9\xE2\x82\xAC\\n/\"}"}},
                    Case{R"({"a": "\udb40\udc41"})", {R"({"a":"\udb40\udc41"})"}},
                    Case{"{\"a\": 1}\n---\n{\"b\": 2}\n{\"c\": 3}\n",
                         {R"({"a":1})", R"({"b":2})", R"({"c":3})"}},
                    Case{"{a: 1}\n", {R"({"a":1})"}}, Case{"[010, x]\n", {R"([8,"x"])"}}));

}  // namespace
}  // namespace tpu_admission::yaml_structure_test
