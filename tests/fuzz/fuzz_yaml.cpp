// Any bytes as YAML: what is read is a tree within its limits, every place lies in the text, and
// what it stands for is JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/yaml_json.h"
#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/yaml.h"

namespace {

namespace ta = tpu_admission;

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckPlaces(const ta::YamlNode& node, std::size_t size) {
  Require(node.start.offset <= node.end.offset && node.end.offset <= size);
  for (const ta::YamlNode* const item : node.items) CheckPlaces(*item, size);
  for (const ta::YamlMember& member : node.members) CheckPlaces(*member.value, size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ta::YamlLimits limits{.max_depth = 50, .max_values = 20'000, .max_aliased_values = 1000};
  const ta::YamlStream stream = ta::ReadYaml(text, limits);
  for (const ta::YamlError& error : stream.errors) {
    Require(!error.message.empty() && error.mark.offset <= size);
  }
  for (const ta::YamlDocument& document : stream.documents) {
    Require(document.root->height <= limits.max_depth);
    CheckPlaces(*document.root, size);
    std::string json;
    ta::AppendJson(json, *document.root);
    const auto again = ta::ParseYaml(json);
    Require(again.ok() && again->size() == 1);
  }
  (void)ta::ConfigFile::Parse(text, "fuzz.yaml");
  return 0;
}
