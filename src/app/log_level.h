// --log-level
#pragma once

#include <string>

#include "tpu_admission/observability/log.h"

namespace tpu_admission::app {

inline observability::Level LevelOf(const std::string& name) {
  using observability::Level;
  if (name == "debug") return Level::kDebug;
  if (name == "warning") return Level::kWarning;
  return name == "error" ? Level::kError : Level::kInfo;
}

}  // namespace tpu_admission::app
