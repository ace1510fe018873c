// The flags of `tpu-admission verify`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace tpu_admission::app {

void AddVerifyFlags(CLI::App& command, VerifyOptions& options);

}  // namespace tpu_admission::app
