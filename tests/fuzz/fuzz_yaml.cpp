// Any bytes as YAML: what is read is JSON within its limits, and every place lies in the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/yaml.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace ta = tpu_admission;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ta::YamlLimits limits{
      .max_depth = 50, .max_aliased_values = 1000, .max_json_bytes = 1 << 20};
  const auto documents = ta::ParseYaml(text, limits);
  if (!documents) {
    Require(!documents.error().message.empty());
    return 0;
  }
  for (const ta::YamlDocument& document : *documents) {
    Require(document.json.size() <= limits.max_json_bytes);
    const nlohmann::json value = nlohmann::json::parse(document.json);  // throws: a crash
    for (const auto& [pointer, place] : document.places) {
      Require(value.contains(nlohmann::json::json_pointer(pointer)));
      Require(place.value.offset <= place.end.offset && place.end.offset <= size);
    }
  }
  (void)ta::ConfigFile::Parse(text, "fuzz.yaml");
  return 0;
}
