// Manifests as `check` and the editor read them: YAML or JSON documents, Lists taken apart, each
// object as the API server would see it, with the lines it came from. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/base/yaml.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/k8s/review.h"

namespace tpu_admission::offline {

// Of one file.
inline constexpr std::size_t kMaxManifestBytes = 16 << 20;

// One object of a file. The view lives as long as the callback that gets it.
struct ManifestObject {
  k8s::GroupVersionKind gvk;
  k8s::JsonView json;
  const YamlDocument& document;
  std::string pointer;  // of the object in the document: "", "/items/3" or "/items/3/items/0"
  k8s::JsonView root;   // the whole document
  std::size_t index;    // of the document in its file, from 0

  // The place of a field of the object, or of its nearest parent that stands in the text.
  YamlPlace PlaceOf(std::string_view field_pointer) const;
};

// Calls `each` for every object with apiVersion or kind in what was read, those of a List, of a
// typed list (JobList) and of a JSON array each by itself, also of lists in lists. An item of a
// JobList that has no kind is a Job of the list's apiVersion.
void ForEachObject(const YamlStream& stream,
                   const std::function<void(const ManifestObject&)>& each);

}  // namespace tpu_admission::offline
