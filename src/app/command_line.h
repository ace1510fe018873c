// The command line of tpu-admission: subcommands, flags, their environment twins and config file.
#pragma once

namespace tpu_admission::app {

// Exit codes: 0 done, 1 `check` found faults, 2 could not start or run.
inline constexpr int kDone = 0;
inline constexpr int kFaultsFound = 1;
inline constexpr int kCannotRun = 2;

int Run(int argc, char** argv);

}  // namespace tpu_admission::app
