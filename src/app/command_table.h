// What completions and man pages say of the commands, read from the tables of CLI11, so that no
// flag is written down twice. Pure; throws nothing of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tpu_admission::app {

struct FlagRow {
  std::string name;        // "--output"; of a positional argument "PATH"
  std::string short_name;  // "-h"; may be empty
  std::string what;
  std::string type;                 // "FILE", "INT"; empty: it takes no value
  std::vector<std::string> values;  // all that it takes; empty if they cannot be listed
  std::string default_value;
  std::string environment;  // its twin; may be empty
  bool required = false;
  bool repeats = false;  // of a positional argument: more than one may be given

  bool TakesFile() const { return type == "FILE" || type == "DIR" || name == "PATH"; }
};

struct CommandRow {
  std::string name;  // "check", "policy test"
  std::string what;
  std::string footer;
  std::vector<FlagRow> flags;
  std::vector<FlagRow> arguments;
};

// In the order of --help; a command whose subcommands do the work comes before them.
std::vector<CommandRow> CommandTable(const CLI::App& app);

}  // namespace tpu_admission::app
