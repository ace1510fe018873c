// Manifest files as `check` reads them: YAML or JSON documents, Lists taken apart, each object as
// the API server would see it, with the lines it came from.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/base/yaml.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/k8s/review.h"

namespace tpu_admission::app {

// Of one file.
inline constexpr std::size_t kMaxManifestBytes = 16 << 20;

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

// How many documents there were, and why some could not be read; the documents beside them are.
struct ManifestErrors {
  std::size_t documents = 0;
  std::vector<YamlError> errors;
};

// Calls `each` for every object with apiVersion and kind in `text`, those of a List, of a typed
// list (JobList) and of a JSON array each by itself.
ManifestErrors ForEachObject(std::string_view text,
                             const std::function<void(const ManifestObject&)>& each);

// The files that `path` stands for: itself, or every .yaml, .yml and .json below a directory, in
// the order of their names; folders behind links are followed once. "-" is standard input. What
// cannot be looked into is an error by its own path, and costs nothing else.
struct ManifestPaths {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> errors;  // path and why
};
ManifestPaths ManifestFiles(const std::string& path);

}  // namespace tpu_admission::app
