#include "app/manifest.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/k8s/yaml_tree.h"

namespace tpu_admission::app {
namespace {

namespace fs = std::filesystem;

struct Place {
  const YamlDocument& document;
  k8s::JsonView root;
  std::size_t index;
};

void Visit(const Place& place, k8s::JsonView object, const std::string& pointer,
           const std::function<void(const ManifestObject&)>& each) {
  const k8s::GroupVersionKind gvk = k8s::GvkOf(object);
  if (gvk.kind == "List" && pointer.empty()) {
    for (std::size_t i = 0; i < object["items"].size(); ++i) {
      std::string item = "/items";
      AppendPointerIndex(item, i);
      Visit(place, object["items"].Element(i), item, each);
    }
  } else if (!gvk.kind.empty() && !gvk.version.empty()) {
    each({gvk, object, place.document, pointer, place.root, place.index});
  }
}

bool IsManifest(const fs::path& path) {
  static const std::array<std::string, 3> kEndings = {".yaml", ".yml", ".json"};
  return std::find(kEndings.begin(), kEndings.end(), path.extension()) != kEndings.end();
}

}  // namespace

YamlPlace ManifestObject::PlaceOf(std::string_view field_pointer) const {
  return document.PlaceOf(pointer + std::string(field_pointer));
}

std::vector<YamlError> ForEachObject(std::string_view text,
                                     const std::function<void(const ManifestObject&)>& each) {
  YamlStream stream = ReadYaml(text);
  k8s::Arena arena;
  for (const YamlDocument& document : stream.documents) {
    const k8s::JsonView root = k8s::TreeOf(*document.root, arena);
    Visit({document, root, document.index}, root, "", each);
    arena.Reset();
  }
  return std::move(stream.errors);
}

Result<std::vector<std::string>> ManifestFiles(const std::string& path) {
  std::error_code error;
  if (path == "-") return std::vector<std::string>{path};
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return Error{path + ": no such file or directory"};
  if (!fs::is_directory(status)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file() && IsManifest(entry->path())) files.push_back(entry->path());
  }
  if (error) return Error{path + ": " + error.message()};
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tpu_admission::app
