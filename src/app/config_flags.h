// The YAML file of --config: flags by their names.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tpu_admission/base/files.h"

namespace tpu_admission::app {

// Gives every option of `command` that neither flag nor environment set the value of the file's key
// of the same name. Throws CLI::Error, as flags do; it names file, line and key.
void ApplyConfigFile(CLI::App& command, const std::string& path, const Files& files);

}  // namespace tpu_admission::app
