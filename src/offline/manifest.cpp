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

using Each = std::function<void(const ManifestObject&)>;

// What the item is by itself, and else by the list that it stands in, as for kubectl.
k8s::GroupVersionKind GvkOfItem(k8s::JsonView item, const k8s::GroupVersionKind& list) {
  k8s::GroupVersionKind gvk = k8s::GvkOf(item);
  const std::string_view kind = k8s::ItemKindOf(list.kind);
  if (!gvk.kind.empty() || kind.empty()) return gvk;
  gvk.kind = kind;
  if (gvk.version.empty()) {
    gvk.group = list.group;
    gvk.version = list.version;
  }
  return gvk;
}

void Tell(const Place& place, const k8s::GroupVersionKind& gvk, k8s::JsonView object,
          const std::string& pointer, const Each& each) {
  if (gvk.kind.empty() && gvk.version.empty()) return;
  each({gvk, object, place.document, pointer, place.root, place.index});
}

void Visit(const Place& place, const k8s::GroupVersionKind& gvk, k8s::JsonView object,
           const std::string& pointer, const Each& each);

void VisitElements(const Place& place, const k8s::GroupVersionKind& list, k8s::JsonView elements,
                   const std::string& pointer, const Each& each) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Visit(place, GvkOfItem(elements.Element(i), list), elements.Element(i),
          PointerBelow(pointer, i), each);
  }
}

// Lists may stand in lists: kubectl takes those apart too.
void Visit(const Place& place, const k8s::GroupVersionKind& gvk, k8s::JsonView object,
           const std::string& pointer, const Each& each) {
  if (gvk.kind.ends_with("List") && object["items"].is_array()) {
    return VisitElements(place, gvk, object["items"], pointer + "/items", each);
  }
  Tell(place, gvk, object, pointer, each);
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
    const Place place{document, root, document.index};
    if (root.is_array()) {
      VisitElements(place, {}, root, "", each);
    } else {
      Visit(place, k8s::GvkOf(root), root, "", each);
    }
    arena.Reset();
  }
}

}  // namespace tpu_admission::offline
