// The flags of `tpu-admission audit`, beside those of the engine.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace tpu_admission::app {

void AddAuditFlags(CLI::App& command, AuditOptions& options);

}  // namespace tpu_admission::app
