#include "app/command_table.h"

#include <sstream>

namespace tpu_admission::app {
namespace {

// "TEXT:{json,text}" -> json, text
std::vector<std::string> Values(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  std::vector<std::string> values;
  if (begin == type.npos || end == type.npos) return values;
  std::istringstream words(type.substr(begin + 1, end - begin - 1));
  for (std::string word; std::getline(words, word, ',');) values.push_back(word);
  return values;
}

FlagRow Row(const CLI::Option& option) {
  FlagRow row;
  row.name = option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front();
  row.what = option.get_description();
  if (!option.get_snames().empty()) row.short_name = "-" + option.get_snames().front();
  row.repeats = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() != 0) {
    const std::string type = option.get_type_name();
    row.type = type.substr(0, type.find(':'));
    if (row.type.empty() || row.type.starts_with('{')) row.type = "TEXT";
    row.values = Values(type);
    row.default_value = option.get_default_str();
  }
  row.environment = option.get_envname();
  row.required = option.get_required();
  return row;
}

void AddRows(const CLI::App& command, const std::string& name, std::vector<CommandRow>& rows) {
  CommandRow row{name, command.get_description(), command.get_footer(), {}, {}};
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_positional()) {
      row.arguments.push_back(Row(*option));
    } else if (!option->get_lnames().empty()) {
      row.flags.push_back(Row(*option));
    }
  }
  rows.push_back(std::move(row));
  for (const CLI::App* const below :
       command.get_subcommands([](const CLI::App*) { return true; })) {
    AddRows(*below, name + " " + below->get_name(), rows);
  }
}

}  // namespace

std::vector<CommandRow> CommandTable(const CLI::App& app) {
  std::vector<CommandRow> rows;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    AddRows(*command, command->get_name(), rows);
  }
  return rows;
}

}  // namespace tpu_admission::app
