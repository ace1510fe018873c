#include "tpu_admission/offline/manifest.h"

#include <utility>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/k8s/yaml_tree.h"

namespace tpu_admission::offline {
namespace {

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

}  // namespace

YamlPlace ManifestObject::PlaceOf(std::string_view field_pointer) const {
  return document.PlaceOf(pointer + std::string(field_pointer));
}

void ForEachObject(const YamlStream& stream,
                   const std::function<void(const ManifestObject&)>& each) {
  k8s::Arena arena;
  for (const YamlDocument& document : stream.documents) {
    const k8s::JsonView root = k8s::TreeOf(*document.root, arena);
    Visit({document, root, document.index}, root, "", each);
    arena.Reset();
  }
}

}  // namespace tpu_admission::offline
