// `tpu-admission explain`: the README of a rule for a terminal, and the index of all rules.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/profile_table.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/offline/rule_choice.h"
#include "tpu_admission/rules/readme.h"

namespace tpu_admission::app {
namespace {

using rules::Rule;

// A line of Markdown as a terminal shows it: no marks of headings and bold text.
std::string Plain(std::string_view line) {
  const std::size_t heading = line.find_first_not_of('#');
  if (line.starts_with('#') && heading != line.npos) line.remove_prefix(heading + 1);
  std::string plain(line);
  for (std::size_t bold = plain.find("**"); bold != plain.npos; bold = plain.find("**")) {
    plain.erase(bold, 2);
  }
  return plain;
}

// Manifests are indented in place of their fences.
void PrintText(const Rule& rule) {
  std::string_view text = ReadmeOf(rule);
  bool in_manifest = false;
  while (!text.empty()) {
    const std::string_view line = TakeUntil(text, '\n');
    if (line.starts_with("```")) {
      in_manifest = !in_manifest;
    } else {
      std::cout << (in_manifest ? "    " + std::string(line) : Plain(line)) << '\n';
    }
  }
}

std::string Padded(std::string_view text, std::size_t width) {
  std::string padded(text);
  padded.resize(std::max(width, text.size()), ' ');
  return padded;
}

// Those whose ids begin so; empty: all.
void PrintList(std::string_view beginning) {
  for (const Rule* rule : rules::AllRules()) {
    if (!rule->id.starts_with(beginning)) continue;
    std::cout << rule->id << "  " << Padded(Name(rule->mode), 5) << "  " << Padded(rule->name, 25)
              << "  " << Plain(SummaryOf(*rule)) << '\n';
  }
  std::cout << "\ntpu-admission explain RULE tells more about one.\n";
}

void PrintIndex(std::string_view beginning) {
  if (beginning.empty()) {
    std::cout << "# Rules\n\nWritten by `./dev docs` from the folders of the rules.\n";
  }
  for (const rules::Family& family : rules::Families()) {
    bool begun = false;
    for (const Rule* rule : rules::AllRules()) {
      if (rule->id[3] != family.digit || !rule->id.starts_with(beginning)) continue;
      if (!begun) {
        std::cout << "\n## " << family.digit << "xx: " << family.about
                  << "\n\n| rule | default | finds |\n|---|---|---|\n";
      }
      begun = true;
      std::cout << "| [" << rule->id << " " << rule->name << "](../src/rules/" << FolderOf(*rule)
                << "/README.md) | " << Name(rule->mode) << " | " << SummaryOf(*rule) << " |\n";
    }
  }
}

void PrintAll(std::string_view beginning, bool markdown) {
  markdown ? PrintIndex(beginning) : PrintList(beginning);
}

// A rule, or the index of those whose ids begin so, as --select takes both.
Status PrintNamed(const std::string& name, bool markdown) {
  const Rule* const rule = offline::RuleNamed(name);
  if (rule != nullptr && markdown) {
    std::cout << ReadmeOf(*rule);
  } else if (rule != nullptr) {
    PrintText(*rule);
  } else if (const std::string family = offline::FamilyNamed(name); !family.empty()) {
    PrintAll(family, markdown);
  } else {
    return Error{rules::NoSuchRule(name)};
  }
  return OkStatus();
}

}  // namespace

int Explain(const ExplainOptions& options) {
  const bool markdown = options.output == "markdown";
  if (options.profiles) {
    PrintProfiles(markdown);
    return kDone;
  }
  if (options.rules.empty()) PrintAll("", markdown);
  for (const std::string& name : options.rules) {
    if (const Status told = PrintNamed(name, markdown); !told) return CannotRun(told.error());
  }
  return kDone;
}

}  // namespace tpu_admission::app
