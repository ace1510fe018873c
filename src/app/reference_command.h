// `completion`, and `help` as a man page: what the command line says of itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tpu_admission::app {

// Prints the completions for "bash", "zsh" or "fish".
void PrintCompletion(const CLI::App& app, const std::string& shell);
// Prints the man page of a command; of the program if `command` is empty.
void PrintManPage(const CLI::App& app, const std::string& command);

}  // namespace tpu_admission::app
