// `completion` and `help`: what the command line says of itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tpu_admission::app {

// Prints the completions for "bash", "zsh" or "fish".
void PrintCompletion(const CLI::App& app, const std::string& shell);
// The command of these words, such as {"policy", "test"}. Throws CLI::ParseError that names the
// nearest.
const CLI::App& FindCommand(const CLI::App& app, const std::vector<std::string>& words);
// Throws CLI::ParseError if the first word of all is neither a command nor a flag of the program:
// CLI11 would only say that a subcommand is required.
void RefuseUnknown(const CLI::App& app, const std::string& word);
// Prints the help of such a command, or its man page; of the program if there are no words.
void PrintHelp(const CLI::App& app, const std::vector<std::string>& words, bool as_man_page);

}  // namespace tpu_admission::app
