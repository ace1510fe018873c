// The flags of `tpu-admission plan`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace tpu_admission::app {

void AddPlan(CLI::App& command, PlanOptions& options);

}  // namespace tpu_admission::app
