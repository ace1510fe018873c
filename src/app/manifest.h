// Manifest files as `check` reads them: YAML or JSON documents, Lists taken apart, each object as
// the API server would see it, with the lines it came from.
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

namespace tpu_admission::app {

// One object of a file. The view lives as long as the callback that gets it.
struct ManifestObject {
  k8s::GroupVersionKind gvk;
  k8s::JsonView json;
  const YamlDocument& document;
  std::string pointer;  // of the object in the document: "" or "/items/3"
  k8s::JsonView root;   // the whole document
  std::size_t index;    // of the document in its file, from 0

  // The place of a field of the object, or of its nearest parent that stands in the text.
  YamlPlace PlaceOf(std::string_view field_pointer) const;
  std::size_t LineOf(std::string_view field_pointer) const {
    return PlaceOf(field_pointer).value.line;
  }
};

// Calls `each` for every object with apiVersion and kind in `text`. Returns what could not be read;
// the documents beside it are.
std::vector<YamlError> ForEachObject(std::string_view text,
                                     const std::function<void(const ManifestObject&)>& each);

// The files that `path` stands for: itself, or every .yaml, .yml and .json below a directory, in
// the order of their names. "-" is standard input.
Result<std::vector<std::string>> ManifestFiles(const std::string& path);

}  // namespace tpu_admission::app
