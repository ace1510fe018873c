// Manifests as reviews carry them: a YAML tree -> the tree behind JsonView.
#pragma once

#include "tpu_admission/base/yaml.h"
#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::k8s {

// The same value that JsonParser makes of the JSON text that kubectl would send. Aliases are
// written out. Lives as long as the arena's arrays and the stream that `node` is of.
JsonView TreeOf(const YamlNode& node, Arena& arena);

}  // namespace tpu_admission::k8s
