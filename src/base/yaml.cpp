#include "tpu_admission/base/yaml.h"

#include <utility>

#include "base/yaml_marks.h"
#include "base/yaml_reader.h"
#include "base/yaml_writer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A pointer names all its ancestors, so pointers take several times the bytes of their values.
constexpr std::size_t kPointerBytesPerJsonByte = 8;

std::size_t FirstBadByte(std::string_view text) {
  std::size_t good = 0;
  std::size_t bad = text.size();
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (IsUtf8(text.substr(0, middle)) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

const YamlPlace& YamlDocument::PlaceOf(std::string_view pointer) const {
  for (;;) {
    const auto place = places.find(std::string(pointer));
    if (place != places.end()) return place->second;
    const std::size_t slash = pointer.rfind('/');
    if (slash == pointer.npos) return places.at("");
    pointer = pointer.substr(0, slash);
  }
}

Result<std::vector<YamlDocument>> ParseYaml(std::string_view text, const YamlLimits& limits) {
  if (!IsUtf8(text)) {
    return yaml::ErrorAt(yaml::MarkOfByte(text, FirstBadByte(text)), "the text is not UTF-8");
  }
  const std::size_t skipped = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  Result<std::vector<yaml::Document>> trees =
      yaml::ReadDocuments(text.substr(skipped), skipped, limits.max_depth);
  if (!trees) return trees.error();
  yaml::Budget budget{.json_bytes = limits.max_json_bytes,
                      .pointer_bytes = limits.max_json_bytes * kPointerBytesPerJsonByte,
                      .aliased_values = limits.max_aliased_values,
                      .max_depth = limits.max_depth};
  std::vector<YamlDocument> documents;
  for (const yaml::Document& tree : *trees) {
    Result<YamlDocument> document = yaml::WriteJson(tree, budget);
    if (!document) return document.error();
    documents.push_back(std::move(*document));
  }
  return documents;
}

}  // namespace tpu_admission
