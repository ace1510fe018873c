#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tpu_admission/base/yaml.h"

namespace tpu_admission {
namespace {

std::vector<YamlDocument> Parse(std::string_view yaml) {
  Result<std::vector<YamlDocument>> documents = ParseYaml(yaml);
  EXPECT_TRUE(documents) << documents.error().message;
  return *std::move(documents);
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
  const YamlDocument document = std::move(Parse(yaml).front());
  const YamlPlace& topology =
      document.places.at("/spec/nodeSelector/cloud.google.com~1gke-tpu-topology");
  EXPECT_EQ(LineColumn(topology.key), "4:5");
  EXPECT_EQ(LineColumn(topology.value), "4:40");
  EXPECT_EQ(TextAt(yaml, topology), "4x4");
  EXPECT_EQ(TextAt(yaml, document.places.at("/spec/containers/0/name")), "\"jax\"");
  EXPECT_EQ(TextAt(yaml, document.places.at("/spec/containers/0/args")), "[a, bc]");
  EXPECT_EQ(TextAt(yaml, document.places.at("/spec/containers/0/args/1")), "bc");
  EXPECT_EQ(TextAt(yaml, document.places.at("/spec/nodeSelector")),
            "cloud.google.com/gke-tpu-topology: 4x4");
  EXPECT_EQ(LineColumn(document.places.at("/spec/containers/0").value), "6:5");
  EXPECT_EQ(LineColumn(document.places.at("").value), "1:1");
}

TEST(YamlPlacesTest, NearestAncestor) {
  const YamlDocument document = std::move(Parse("a:\n  b: 1\n").front());
  EXPECT_EQ(LineColumn(document.PlaceOf("/a/b").value), "2:6");
  EXPECT_EQ(LineColumn(document.PlaceOf("/a/b/c/d").value), "2:6");
  EXPECT_EQ(LineColumn(document.PlaceOf("/a/x").key), "1:1");
  EXPECT_EQ(LineColumn(document.PlaceOf("/x/y").value), "1:1");
  EXPECT_EQ(LineColumn(document.PlaceOf("").value), "1:1");
}

TEST(YamlPlacesTest, AliasesAndMergesPointToTheirAnchor) {
  const YamlDocument document =
      std::move(Parse("base: &b\n  cpu: 4\nx: *b\nv:\n  <<: *b\n  z: 1\n").front());
  EXPECT_EQ(LineColumn(document.places.at("/x/cpu").value), "2:8");
  EXPECT_EQ(LineColumn(document.places.at("/v/cpu").key), "2:3");
  EXPECT_EQ(LineColumn(document.places.at("/x").key), "3:1");
  EXPECT_EQ(LineColumn(document.places.at("/v/z").value), "6:6");
}

TEST(YamlPlacesTest, LaterDocumentsCountFromTheTopOfTheText) {
  const std::string_view yaml = "a: 1\n---\n# c\nb: two\n";
  const std::vector<YamlDocument> documents = Parse(yaml);
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(LineColumn(documents[1].start), "4:1");
  EXPECT_EQ(TextAt(yaml, documents[1].places.at("/b")), "two");
}

// libyaml counts characters: bytes and columns come apart behind an umlaut.
TEST(YamlPlacesTest, ColumnsAreCharactersAndOffsetsAreBytes) {
  std::string yaml = "\xEF\xBB\xBF";
  for (int i = 0; i < 100; ++i) yaml += "# \xC3\xA4\xE6\x97\xA5\xF0\x9F\x98\x80\n";
  yaml += "{\xC3\xA4: x, b: yz}\n";
  const YamlDocument document = std::move(Parse(yaml).front());
  EXPECT_EQ(TextAt(yaml, document.places.at("/b")), "yz");
  EXPECT_EQ(LineColumn(document.places.at("/b").value), "101:11");
}

TEST(YamlPlacesTest, EveryValueHasAPlaceThatHoldsIt) {
  const std::string_view yaml = "a: [x, {b: y}]\nc:\n- d: |\n    text\n- ''\ne:\n";
  const YamlDocument document = std::move(Parse(yaml).front());
  const nlohmann::json flat = nlohmann::json::parse(document.json).flatten();
  for (const auto& [pointer, value] : flat.items()) {
    ASSERT_TRUE(document.places.contains(pointer)) << pointer;
    const std::string_view text = TextAt(yaml, document.places.at(pointer));
    if (value == "x" || value == "y") {
      EXPECT_EQ(text, value.get<std::string>());
    }
  }
}

}  // namespace
}  // namespace tpu_admission
