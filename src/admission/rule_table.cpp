#include "admission/rule_table.h"

#include <fnmatch.h>

#include <array>

#include "tpu_admission/base/text.h"

namespace tpu_admission::admission {
namespace {

using rules::Mode;

std::optional<Mode> ModeAt(const ConfigNode& node, const std::string& word) {
  const std::optional<Mode> mode = rules::ModeOf(word);
  if (!mode) node.Fail(Quoted(word) + " is no mode; the modes are off, audit, warn and deny");
  return mode;
}

}  // namespace

const rules::Rule* RuleNamed(std::string_view id_or_name, const ConfigNode& node) {
  const rules::Rule* rule = rules::FindRule(id_or_name);
  if (rule == nullptr) {
    node.Fail("there is no rule " + Quoted(id_or_name) + "; `tpu-admission explain` lists them");
  }
  return rule;
}

void ForEachRule(const ConfigNode& node, std::string_view key,
                 const std::function<void(const rules::Rule&, const ConfigNode&)>& each) {
  const std::optional<ConfigNode> table = node.MapOrNone(key);
  if (!table) return;
  for (const auto& [id, value] : table->Members()) {
    if (const rules::Rule* rule = RuleNamed(id, value)) each(*rule, value);
  }
}

RuleModes ReadModes(const ConfigNode& node, std::string_view key) {
  RuleModes modes(rules::AllRules().size());
  ForEachRule(node, key, [&](const rules::Rule& rule, const ConfigNode& value) {
    modes[rules::IndexOf(rule)] = ModeAt(value, value.AsString());
  });
  return modes;
}

std::optional<Mode> ReadMode(const ConfigNode& node, std::string_view key) {
  static constexpr std::array<std::string_view, 4> kNames = {"off", "audit", "warn", "deny"};
  const std::size_t index = node.OneOfOr(key, kNames, kNames.size());
  return index < kNames.size() ? rules::ModeOf(kNames[index]) : std::nullopt;
}

bool MatchesGlob(const std::string& pattern, std::string_view text) {
  return pattern == "*" || fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0;
}

}  // namespace tpu_admission::admission
