// The YAML file of --config: flags by their names; and what other files flags name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tpu_admission/base/files.h"

namespace tpu_admission::app {

// Gives every option of `command` that neither flag nor environment set the value of the file's key
// of the same name. Throws CLI::Error, as flags do; it names file, line and key.
void ApplyConfigFile(CLI::App& command, const std::string& path, const Files& files);

// Throws CLI::Error, which names the flag, if the catalog or the policy of `command` cannot be
// read.
void RequireFiles(const CLI::App& command, const Files& files);

}  // namespace tpu_admission::app
