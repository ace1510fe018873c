// The manifests that an Argo workflow makes objects of: they stand as text in its `resource` steps.
// https://argo-workflows.readthedocs.io/en/latest/walk-through/kubernetes-resources/
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tpu_admission/offline/manifest.h"

namespace tpu_admission::offline {

// Calls `each` with the JSON pointer in the object and the text of every manifest that is created
// or applied. Nothing for other kinds. The text lives as long as the object.
void ForEachManifest(const ManifestObject& workflow,
                     const std::function<void(const std::string&, std::string_view)>& each);

}  // namespace tpu_admission::offline
