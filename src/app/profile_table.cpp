#include "app/profile_table.h"

#include <iostream>
#include <string>
#include <vector>

#include "tpu_admission/admission/profile.h"
#include "tpu_admission/rules/readme.h"

namespace tpu_admission::app {
namespace {

using admission::Profile;
using rules::Mode;
using rules::Rule;

// " for kind Ray*", " for kind Ray* with accelerator tpu-v5-lite-device".
std::string Where(const Profile::Case& special, const std::string& quote) {
  std::string where;
  if (special.kind != "*") where += " for kind " + quote + special.kind + quote;
  if (special.accelerator != "*") {
    where += (where.empty() ? " for" : " with") + (" accelerator " + quote) + special.accelerator +
             quote;
  }
  if (special.count) where += " with " + std::to_string(*special.count) + " pods";
  if (special.chips) where += " with " + std::to_string(*special.chips) + " chips";
  if (special.without_topology) where += " without a topology";
  if (special.sliced) where += " with a slice topology";
  return where;
}

// "warn", "deny for kind Ray*"; empty if the profile leaves the rule alone.
std::string Modes(const Profile& profile, const Rule& rule, const std::string& quote) {
  const std::size_t index = IndexOf(rule);
  std::string text;
  const auto add = [&](const std::string& mode) { text += (text.empty() ? "" : ", ") + mode; };
  if (profile.modes[index]) add(std::string(Name(*profile.modes[index])));
  for (const Profile::Case& special : profile.cases) {
    if (special.modes[index]) {
      add(std::string(Name(*special.modes[index])) + Where(special, quote));
    }
  }
  return text;
}

void PrintText(const std::vector<Profile>& profiles) {
  for (const Profile& profile : profiles) {
    std::cout << profile.name << ": " << profile.purpose << '\n';
    if (profile.platform == rules::Platform::kAutopilot) {
      std::cout << "  --cluster-mode autopilot\n";
    }
    for (const Rule* rule : rules::AllRules()) {
      const std::string modes = Modes(profile, *rule, "");
      if (modes.empty()) continue;
      std::cout << "  " << rule->id << ' ' << rule->name << ": " << modes << '\n';
    }
  }
  std::cout << "\nAll other rules have their own modes; `tpu-admission explain` lists them.\n";
}

std::string Row(const std::vector<Profile>& profiles, const Rule& rule) {
  std::string row;
  bool named = false;
  for (const Profile& profile : profiles) {
    const std::string modes = Modes(profile, rule, "`");
    named = named || !modes.empty();
    row += " | " + (&profile == &profiles.front() ? std::string(Name(rule.mode)) : modes);
  }
  return named ? "| [" + std::string(rule.id) + "](../src/rules/" + FolderOf(rule) + "/README.md)" +
                     row + " |\n"
               : "";
}

void PrintMarkdown(const std::vector<Profile>& profiles) {
  std::string head = "| rule";
  std::string line = "|---";
  std::string platforms = "| `--cluster-mode`";
  for (const Profile& profile : profiles) {
    head += " | `" + profile.name + "`";
    line += "|---";
    platforms +=
        profile.platform == rules::Platform::kAutopilot ? " | `autopilot`" : " | `standard`";
  }
  std::cout << head << " |\n" << line << "|\n" << platforms << " |\n";
  for (const Rule* rule : rules::AllRules()) std::cout << Row(profiles, *rule);
}

}  // namespace

void PrintProfiles(bool markdown) {
  const std::vector<Profile>& profiles = admission::BuiltInProfiles();
  if (markdown) {
    PrintMarkdown(profiles);
  } else {
    PrintText(profiles);
  }
}

}  // namespace tpu_admission::app
