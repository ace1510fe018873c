#include "admission/rule_table.h"

#include <utility>

#include <fnmatch.h>

#include <array>

#include "tpu_admission/base/text.h"

namespace tpu_admission::admission {
namespace {

using rules::Mode;

std::optional<Mode> ModeAt(ConfigNode node, const std::string& word) {
  const std::optional<Mode> mode = rules::ModeOf(word);
  if (!mode) node.Fail(Quoted(word) + " is no mode; the modes are off, audit, warn and deny");
  return mode;
}

}  // namespace

const rules::Rule* RuleNamed(std::string_view id_or_name, ConfigNode node) {
  const rules::Rule* rule = rules::FindRule(id_or_name);
  if (rule == nullptr) node.Fail(rules::NoSuchRule(id_or_name));
  return rule;
}

void ForEachRule(ConfigNode node, std::string_view key,
                 const std::function<void(const rules::Rule&, ConfigNode)>& each) {
  std::optional<ConfigNode> table = node.MapOrNone(key);
  if (!table) return;
  for (auto [id, value] : table->Members()) {
    if (const rules::Rule* rule = RuleNamed(id, value)) each(*rule, value);
  }
}

RuleModes ReadModes(ConfigNode node, std::string_view key) {
  RuleModes modes(rules::AllRules().size());
  ForEachRule(std::move(node), key, [&](const rules::Rule& rule, ConfigNode value) {
    modes[rules::IndexOf(rule)] = ModeAt(value, value.AsString());
  });
  return modes;
}

std::optional<Mode> ReadMode(ConfigNode node, std::string_view key) {
  static constexpr std::array<std::string_view, 4> kNames = {"off", "audit", "warn", "deny"};
  const std::size_t index = node.OneOfOr(key, kNames, kNames.size());
  return index < kNames.size() ? rules::ModeOf(kNames[index]) : std::nullopt;
}

std::string ReadGlob(ConfigNode node, std::string_view key) {
  std::string glob = node.String(key);
  for (std::size_t open = glob.find('['); open != glob.npos;) {
    // A bracket that stands first within brackets is one of their characters.
    const std::size_t first = open + (glob.compare(open + 1, 1, "!") == 0 ? 3 : 2);
    const std::size_t close = glob.find(']', first);
    if (close == glob.npos) {
      node.Fail(key, "found " + Quoted(glob) + ", which has a [ without its ]");
      break;
    }
    open = glob.find('[', close);
  }
  return glob;
}

bool MatchesGlob(const std::string& pattern, std::string_view text) {
  return pattern == "*" || fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0;
}

}  // namespace tpu_admission::admission
