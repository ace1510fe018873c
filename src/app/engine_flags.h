// The flags that all faces of the engine share.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace tpu_admission::app {

void AddEngineFlags(CLI::App& command, EngineOptions& options);

}  // namespace tpu_admission::app
