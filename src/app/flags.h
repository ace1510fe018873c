// How flags are declared: by AddFlag each has an environment twin, and the last of a repeated flag
// wins. What is asked of one call (--chips, --namespace of scan) has no twin.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options.h"

namespace tpu_admission::app {

// "--secure-port" -> "TPU_ADMISSION_SECURE_PORT"
std::string EnvironmentTwin(const std::string& flag);

template <typename T>
CLI::Option* AddFlag(CLI::App& command, const std::string& flag, T& value,
                     const std::string& help) {
  return command.add_option(flag, value, help)
      ->envname(EnvironmentTwin(flag))
      ->take_last()
      ->capture_default_str();
}

// The flags that were given, by the command line or the environment, and their values.
std::vector<std::pair<std::string, std::vector<std::string>>> GivenFlags(const CLI::App& command);

// The flag of `command` that is spelt most like `flag`; empty if none is near.
std::string NearestFlag(const CLI::App& command, const std::string& flag);

// CLI11 2.4 and later pass over a variable whose value the flag does not take, where 2.3 throws.
void RefuseLostVariables(const CLI::App& command);

// A line for each variable of the environment that no flag of `app` and its commands reads, and
// that is spelt almost like one which a flag reads. Service links (TPU_ADMISSION_SERVICE_HOST) are
// none.
std::string MisspeltVariables(const CLI::App& app);

// What an error of the command line leaves out: that a value which it speaks of is one of the
// environment. A line for each such flag of `command` that none of `words` gives.
std::string GivenByVariables(const CLI::App& command, std::string_view error,
                             std::span<const char* const> words);

// --output, for people or for programs: each command has its own formats, and so its own
// environment twin (TPU_ADMISSION_CHECK_OUTPUT).
void AddOutput(CLI::App& command, std::string& value, const std::set<std::string>& formats);

// "250ms", "5s", "2m", "36h" -> milliseconds; empty if it is none of these.
std::optional<std::chrono::milliseconds> ParseDuration(const std::string& text);
// In the largest of these units that has no fraction.
std::string FormatDuration(std::chrono::milliseconds duration);

// More than `most` is refused.
void AddDuration(CLI::App& command, const std::string& flag, std::chrono::milliseconds& value,
                 const std::string& help,
                 std::chrono::milliseconds most = std::chrono::milliseconds::max());

// Flags of several commands.
void AddMetricsPort(CLI::App& command, std::uint16_t& port);
void AddLogLevel(CLI::App& command, std::string& level);
void AddApiServer(CLI::App& command, ApiServerOptions& options, const std::string& help_of_dir);
void AddTokenAndCa(CLI::App& command, ApiServerOptions& options);

// Of whole numbers, both bounds among them.
CLI::Validator IsWhole(int least, int most);
// Of values that are among these. A slip is told what was meant.
CLI::Validator IsOneOf(std::vector<std::string> values);
// Of values that are ports, 0 among them.
CLI::Validator IsPort();
// Of values that Kubernetes and kubectl take for a name.
CLI::Validator IsName();
// Of addresses that something is put behind: takes a / off their end. For transform().
CLI::Validator IsBaseUrl();

}  // namespace tpu_admission::app
