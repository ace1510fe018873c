// Man pages (section 1, roff) from the command table.
#pragma once

#include <string>
#include <vector>

#include "app/command_table.h"

namespace tpu_admission::app {

// tpu-admission.1: what it is, and its commands.
std::string ManPage(const std::vector<CommandRow>& commands, const std::string& what);
// tpu-admission-check.1: the flags of one.
std::string ManPage(const CommandRow& command);

}  // namespace tpu_admission::app
