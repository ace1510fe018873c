// The repairs of an object that stands there as YAML.
#pragma once

#include <string>
#include <vector>

#include "support/settings.h"
#include "support/yaml_json.h"
#include "tpu_admission/admission/repairs.h"

namespace tpu_admission::support {

inline std::vector<repair::Repair> RepairsOfYaml(
    const std::string& yaml, const admission::Settings& settings = StandardSettings()) {
  const std::string json = ParseYaml(yaml).value().front().json;
  k8s::JsonParser parser;
  const k8s::JsonView object = parser.Parse(json).value();
  k8s::Arena arena;
  const admission::Submission submission{k8s::GvkOf(object), object, {}, "default", {}};
  return admission::RepairsOf(settings, submission, admission::Judge(settings, submission, arena),
                              arena);
}

}  // namespace tpu_admission::support
