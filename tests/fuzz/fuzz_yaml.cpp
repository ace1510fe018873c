// Any bytes as YAML: what is read is a tree within its limits, every place lies in the text, and
// what it stands for is JSON.
#include <string>

#include "fuzz/require.h"
#include "support/yaml_json.h"
#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/yaml.h"

namespace {

namespace ta = tpu_admission;

void CheckPlaces(const ta::YamlNode& node, std::size_t size) {
  REQUIRE(node.start.offset <= node.end.offset && node.end.offset <= size);
  for (const ta::YamlNode* const item : node.items) CheckPlaces(*item, size);
  for (const ta::YamlMember& member : node.members) CheckPlaces(*member.value, size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = ta::fuzz::Text(data, size);
  const ta::YamlLimits limits{.max_depth = 50, .max_values = 20'000, .max_aliased_values = 1000};
  const ta::YamlStream stream = ta::ReadYaml(text, limits);
  for (const ta::YamlError& error : stream.errors) {
    REQUIRE(!error.message.empty() && error.mark.offset <= size);
  }
  for (const ta::YamlDocument& document : stream.documents) {
    REQUIRE(document.root->height <= limits.max_depth);
    CheckPlaces(*document.root, size);
    // In a map, for only what begins with a brace is read as JSON: YAML knows no surrogate pairs.
    std::string json = R"({"document":)";
    ta::AppendJson(json, *document.root);
    const auto again = ta::ParseYaml(json + '}');
    REQUIRE(again.ok() && again->size() == 1);
  }
  (void)ta::ConfigFile::Parse(text, "fuzz.yaml");
  return 0;
}
