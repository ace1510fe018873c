// What a JobSet tells Pathways of its workers in words of a command line, which no field checks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/k8s/json.h"

namespace tpu_admission::workload {

// A word of the resource manager's arguments. Views into the object.
struct PathwaysWord {
  enum class Kind { kSlices, kType };

  Kind kind;
  std::string pointer;     // JSON pointer of the word in the object
  std::string_view flag;   // "--instance_count="
  std::string_view value;  // "2"; of a type "tpuv6e:4x4"
};

// Those of the first containers with --node_type=resource_manager; empty where none is.
// https://docs.cloud.google.com/ai-hypercomputer/docs/workloads/pathways-on-cloud/pathways-intro
std::vector<PathwaysWord> WordsToPathways(k8s::JsonView job_set);

}  // namespace tpu_admission::workload
