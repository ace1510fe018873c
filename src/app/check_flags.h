// The flags of `check`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace tpu_admission::app {

void AddCheckFlags(CLI::App& command, CheckOptions& options);

}  // namespace tpu_admission::app
