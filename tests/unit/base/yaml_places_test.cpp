#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/yaml_json.h"

namespace tpu_admission::yaml_places_test {
namespace {

YamlStream Parse(std::string_view yaml) {
  YamlStream stream = ReadYaml(yaml);
  for (const YamlError& error : stream.errors) ADD_FAILURE() << error.Text();
  return stream;
}

std::string LineColumn(const YamlMark& mark) {
  return std::to_string(mark.line) + ":" + std::to_string(mark.column);
}

std::string_view TextAt(std::string_view yaml, const YamlPlace& place) {
  return yaml.substr(place.value.offset, place.end.offset - place.value.offset);
}

TEST(YamlPlacesTest, KeyAndValueOfEveryMember) {
  const std::string_view yaml =
      "apiVersion: v1\n"
      "spec:\n"
      "  nodeSelector:\n"
      "    cloud.google.com/gke-tpu-topology: 4x4  # comment\n"
      "  containers:\n"
      "  - name: \"jax\"\n"
      "    args: [a, bc]\n";
  const YamlStream stream = Parse(yaml);
  const YamlDocument& document = stream.documents.front();
  const YamlPlace topology =
      document.PlaceOf("/spec/nodeSelector/cloud.google.com~1gke-tpu-topology");
  EXPECT_EQ(LineColumn(topology.key), "4:5");
  EXPECT_EQ(LineColumn(topology.value), "4:40");
  EXPECT_EQ(TextAt(yaml, topology), "4x4");
  EXPECT_EQ(TextAt(yaml, document.PlaceOf("/spec/containers/0/name")), "\"jax\"");
  EXPECT_EQ(TextAt(yaml, document.PlaceOf("/spec/containers/0/args")), "[a, bc]");
  EXPECT_EQ(TextAt(yaml, document.PlaceOf("/spec/containers/0/args/1")), "bc");
  EXPECT_EQ(TextAt(yaml, document.PlaceOf("/spec/nodeSelector")),
            "cloud.google.com/gke-tpu-topology: 4x4");
  EXPECT_EQ(LineColumn(document.PlaceOf("/spec/containers/0").value), "6:5");
  EXPECT_EQ(LineColumn(document.PlaceOf("").value), "1:1");
}

TEST(YamlPlacesTest, NearestAncestor) {
  const YamlStream stream = Parse("a:\n  b: 1\n");
  const YamlDocument& document = stream.documents.front();
  EXPECT_EQ(LineColumn(document.PlaceOf("/a/b").value), "2:6");
  EXPECT_EQ(LineColumn(document.PlaceOf("/a/b/c/d").value), "2:6");
  EXPECT_EQ(LineColumn(document.PlaceOf("/a/x").key), "1:1");
  EXPECT_EQ(LineColumn(document.PlaceOf("/x/y").value), "1:1");
  EXPECT_EQ(LineColumn(document.PlaceOf("").value), "1:1");
}

TEST(YamlPlacesTest, AliasesAndMergesPointToTheirAnchor) {
  const YamlStream stream = Parse("base: &b\n  cpu: 4\nx: *b\nv:\n  <<: *b\n  z: 1\n");
  const YamlDocument& document = stream.documents.front();
  EXPECT_EQ(LineColumn(document.PlaceOf("/x/cpu").value), "2:8");
  EXPECT_EQ(LineColumn(document.PlaceOf("/v/cpu").key), "2:3");
  EXPECT_EQ(LineColumn(document.PlaceOf("/x").key), "3:1");
  EXPECT_EQ(LineColumn(document.PlaceOf("/v/z").value), "6:6");
}

TEST(YamlPlacesTest, LaterDocumentsCountFromTheTopOfTheText) {
  const std::string_view yaml = "a: 1\n---\n# c\nb: two\n";
  const YamlStream stream = Parse(yaml);
  const std::vector<YamlDocument>& documents = stream.documents;
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(LineColumn(documents[1].root->start), "4:1");
  EXPECT_EQ(TextAt(yaml, documents[1].PlaceOf("/b")), "two");
}

// libyaml counts characters: bytes and columns come apart behind an umlaut.
TEST(YamlPlacesTest, ColumnsAreCharactersAndOffsetsAreBytes) {
  std::string yaml = "\xEF\xBB\xBF";
  for (int i = 0; i < 100; ++i) yaml += "# \xC3\xA4\xE6\x97\xA5\xF0\x9F\x98\x80\n";
  yaml += "{\xC3\xA4: x, b: yz}\n";
  const YamlStream stream = Parse(yaml);
  const YamlDocument& document = stream.documents.front();
  EXPECT_EQ(TextAt(yaml, document.PlaceOf("/b")), "yz");
  EXPECT_EQ(LineColumn(document.PlaceOf("/b").value), "101:11");
}

TEST(YamlPlacesTest, EveryValueHasAPlaceThatHoldsIt) {
  const std::string_view yaml = "a: [x, {b: y}]\nc:\n- d: |\n    text\n- ''\ne:\n";
  const YamlStream stream = Parse(yaml);
  const YamlDocument& document = stream.documents.front();
  std::string json;
  AppendJson(json, *document.root);
  const nlohmann::json flat = nlohmann::json::parse(json).flatten();
  for (const auto& [pointer, value] : flat.items()) {
    const std::string_view text = TextAt(yaml, document.PlaceOf(pointer));
    if (value == "x" || value == "y") {
      EXPECT_EQ(text, value.get<std::string>());
    }
  }
}

}  // namespace
}  // namespace tpu_admission::yaml_places_test
