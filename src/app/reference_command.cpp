#include "app/reference_command.h"

#include <iostream>
#include <string_view>
#include <vector>

#include "app/command_table.h"
#include "app/completion.h"
#include "app/man_page.h"
#include "tpu_admission/base/text.h"
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

const CLI::App& Below(const CLI::App& above, const std::string& name) {
  std::vector<std::string_view> names;
  std::string all;
  for (const CLI::App* const each : above.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_name() == name) return *each;
    names.push_back(each->get_name());
    all += " " + each->get_name();
  }
  const std::string_view nearest = Nearest(name, names, 2);
  const std::string hint = nearest.empty() ? "" : "did you mean \"" + std::string(nearest) + "\"? ";
  throw CLI::ExtrasError("there is no command " + Quoted(name) +
                             (names.empty() ? "" : "; " + hint + "there are:" + all),
                         CLI::ExitCodes::ExtrasError);
}

void PrintManPage(const CLI::App& app, const std::string& command) {
  const std::vector<CommandRow> commands = CommandTable(app);
  if (command.empty()) std::cout << ManPage(commands, app.get_description());
  for (const CommandRow& row : commands) {
    if (row.name == command) std::cout << ManPage(row);
  }
}

}  // namespace

void PrintCompletion(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandRow> commands = FilledTable(app);
  std::cout << (shell == "bash"  ? BashCompletion(commands)
                : shell == "zsh" ? ZshCompletion(commands)
                                 : FishCompletion(commands));
}

const CLI::App& FindCommand(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* found = &app;
  for (const std::string& word : words) found = &Below(*found, word);
  return *found;
}

void RefuseUnknown(const CLI::App& app, const std::string& word) {
  if (!word.starts_with('-')) return void(FindCommand(app, {word}));
  const std::string flag = word.substr(0, word.find('='));
  if (app.get_option_no_throw(flag) == nullptr) throw CLI::ExtrasError({word});
}

void PrintHelp(const CLI::App& app, const std::vector<std::string>& words, bool as_man_page) {
  if (as_man_page) {
    PrintManPage(app, Joined(words, " "));
  } else if (words.empty()) {
    // app.help() would be that of the command in use, which is help.
    std::cout << app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
  } else {
    const std::string above = Joined(std::span(words).first(words.size() - 1), " ");
    std::cout << FindCommand(app, words).help(app.get_name() + (above.empty() ? "" : " " + above));
  }
}

}  // namespace tpu_admission::app
