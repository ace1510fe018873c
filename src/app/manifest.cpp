#include "app/manifest.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
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
           const std::function<void(const ManifestObject&)>& each);

void VisitElements(const Place& place, k8s::JsonView list, const std::string& pointer,
                   const std::function<void(const ManifestObject&)>& each) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string item = pointer;
    AppendPointerIndex(item, i);
    Visit(place, list.Element(i), item, each);
  }
}

// Lists stand at the top alone.
void Visit(const Place& place, k8s::JsonView object, const std::string& pointer,
           const std::function<void(const ManifestObject&)>& each) {
  if (object.is_array() && pointer.empty()) return VisitElements(place, object, "", each);
  const k8s::GroupVersionKind gvk = k8s::GvkOf(object);
  const bool is_list = gvk.kind.ends_with("List") && object["items"].is_array();
  if (is_list && pointer.empty()) {
    VisitElements(place, object["items"], "/items", each);
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

ManifestErrors ForEachObject(std::string_view text,
                             const std::function<void(const ManifestObject&)>& each) {
  YamlStream stream = ReadYaml(text);
  k8s::Arena arena;
  for (const YamlDocument& document : stream.documents) {
    const k8s::JsonView root = k8s::TreeOf(*document.root, arena);
    Visit({document, root, document.index}, root, "", each);
    arena.Reset();
  }
  return {stream.documents.size() + stream.errors.size(), std::move(stream.errors)};
}

namespace {

// Looks into one folder; `seen` holds those that were looked into, by their true paths.
void LookInto(const fs::path& folder, std::set<fs::path>& seen, ManifestPaths& found) {
  std::error_code error;
  const fs::path truth = fs::canonical(folder, error);
  if (error) {
    found.errors.emplace_back(folder, error.message());
    return;
  }
  if (!seen.insert(truth).second) return;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) found.errors.emplace_back(folder, error.message());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (fs::is_directory(entry, error)) {
      LookInto(entry, seen, found);
    } else if (IsManifest(entry) && fs::is_regular_file(entry, error)) {
      found.files.push_back(entry);
    }
  }
}

}  // namespace

ManifestPaths ManifestFiles(const std::string& path) {
  ManifestPaths found;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (path == "-") {
    found.files.push_back(path);
  } else if (!fs::exists(status)) {
    found.errors.emplace_back(path, "no such file or directory");
  } else if (fs::is_directory(status)) {
    std::set<fs::path> seen;
    LookInto(path, seen, found);
  } else {
    found.files.push_back(path);
  }
  return found;
}

}  // namespace tpu_admission::app
