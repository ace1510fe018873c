// The flags of the commands that look at a live cluster: `scan` and `why`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace tpu_admission::app {

// After the flags of the engine, of which it gives --policy another meaning.
void AddScan(CLI::App& command, ScanOptions& options);
void AddWhy(CLI::App& command, WhyOptions& options);

}  // namespace tpu_admission::app
