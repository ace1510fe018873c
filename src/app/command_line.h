// The command line of tpu-admission: subcommands, flags, their environment twins and config file.
#pragma once

#include <string>
#include <vector>

#include "tpu_admission/base/result.h"

namespace tpu_admission::app {

// Exit codes: 0 done; 1 what was asked about is wrong, as README.md says of each command; 2 could
// not start or run, or not read or write all of it.
inline constexpr int kDone = 0;
inline constexpr int kFaultsFound = 1;
inline constexpr int kCannotRun = 2;

// Says why on standard error; kCannotRun.
int CannotRun(const Error& why);
// On standard error too.
void ShowWarnings(const std::vector<std::string>& warnings);

int Run(int argc, char** argv);

}  // namespace tpu_admission::app
