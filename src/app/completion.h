// Completions of the command line for bash, zsh and fish, and man pages, all from the command
// table.
#pragma once

#include <string>
#include <vector>

#include "app/command_table.h"

namespace tpu_admission::app {

// Scripts for tpu-admission and kubectl-tpu. Positional arguments complete to their `values`, or to
// files.
std::string BashCompletion(const std::vector<CommandRow>& commands);
std::string ZshCompletion(const std::vector<CommandRow>& commands);
std::string FishCompletion(const std::vector<CommandRow>& commands);

}  // namespace tpu_admission::app
