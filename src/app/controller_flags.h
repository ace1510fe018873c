// The flags of `tpu-admission controller`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace tpu_admission::app {

void AddControllerFlags(CLI::App& command, ControllerOptions& options);

// After parsing: fills in the pod's namespace, and refuses what cannot work. Throws
// CLI::ParseError.
void CheckController(ControllerOptions& options);

}  // namespace tpu_admission::app
