// What is told of a text that YAML cannot be read from. Pure.
#pragma once

#include "tpu_admission/base/yaml.h"
#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

// What is broken because it is a template is told once, with what to do.
void TellErrors(const YamlStream& stream, FileReport& report);

}  // namespace tpu_admission::offline
