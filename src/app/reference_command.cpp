#include "app/reference_command.h"

#include <iostream>
#include <vector>

#include "app/command_table.h"
#include "app/completion.h"
#include "app/man_page.h"
#include "tpu_admission/rules/rule.h"
#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::app {
namespace {

std::vector<std::string> RuleIds() {
  std::vector<std::string> ids;
  for (const rules::Rule* const rule : rules::AllRules()) ids.emplace_back(rule->id);
  return ids;
}

std::vector<std::string> Generations() {
  std::vector<std::string> names;
  const auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "");
  for (const tpu::Generation& each : catalog.value()->generations()) names.push_back(each.id);
  return names;
}

// What a positional argument can be, where CLI11 does not know it.
std::vector<std::string> Values(const CLI::App& app, const std::string& argument) {
  if (argument == "RULE") return RuleIds();
  if (argument == "ONLY") return Generations();
  std::vector<std::string> names;
  if (argument != "COMMAND") return names;
  for (const CommandRow& command : CommandTable(app)) names.push_back(command.name);
  return names;
}

std::vector<CommandRow> FilledTable(const CLI::App& app) {
  std::vector<CommandRow> commands = CommandTable(app);
  for (CommandRow& command : commands) {
    for (FlagRow& argument : command.arguments) {
      if (argument.values.empty()) argument.values = Values(app, argument.name);
    }
  }
  return commands;
}

}  // namespace

void PrintCompletion(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandRow> commands = FilledTable(app);
  std::cout << (shell == "bash"  ? BashCompletion(commands)
                : shell == "zsh" ? ZshCompletion(commands)
                                 : FishCompletion(commands));
}

void PrintManPage(const CLI::App& app, const std::string& command) {
  const std::vector<CommandRow> commands = CommandTable(app);
  if (command.empty()) std::cout << ManPage(commands, app.get_description());
  for (const CommandRow& row : commands) {
    if (row.name == command) std::cout << ManPage(row);
  }
}

}  // namespace tpu_admission::app
