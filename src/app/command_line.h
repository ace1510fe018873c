// The command line of tpu-admission: subcommands, flags, their environment twins and config file.
#pragma once

#include "tpu_admission/base/result.h"

namespace tpu_admission::app {

// Exit codes: 0 done, 1 `check` found faults, 2 could not start or run.
inline constexpr int kDone = 0;
inline constexpr int kFaultsFound = 1;
inline constexpr int kCannotRun = 2;

// Says why on standard error; kCannotRun.
int CannotRun(const Error& why);

int Run(int argc, char** argv);

}  // namespace tpu_admission::app
