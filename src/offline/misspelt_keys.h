// Keys that nobody reads, on the way to chips: `nodeselector` beside containers, `container` of a
// Pod, `limits` of a container without `resources`, `nodeSelector` of a Job. The API server drops
// them, or refuses the object; what was meant is judged by nobody.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/k8s/json.h"

namespace tpu_admission::offline {

struct MisspeltKey {
  std::string pointer;     // JSON pointer in the object
  std::string_view meant;  // a constant
};

// Those that differ from a key that is read in case alone, or stand at another level; with
// `also_near`, for an object in which no chips were found where they belong, also by a letter.
std::vector<MisspeltKey> MisspeltKeys(k8s::JsonView object, bool also_near);

}  // namespace tpu_admission::offline
