#include "admission/rule_table.h"

#include <utility>

#include <fnmatch.h>

#include <array>
#include <string>
#include <vector>

#include "tpu_admission/base/text.h"

namespace tpu_admission::admission {
namespace {

using rules::Mode;

constexpr std::array<std::string_view, 4> kModeNames = {"off", "audit", "warn", "deny"};

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
  std::vector<std::uint32_t> lines(rules::AllRules().size());
  for (auto [id, value] : table->Members()) {
    const rules::Rule* rule = RuleNamed(id, value);
    if (rule == nullptr) continue;
    std::uint32_t& line = lines[rules::IndexOf(*rule)];
    if (line != 0) {
      value.Fail("duplicate rule " + std::string(rule->id) + ", " + std::string(rule->name) +
                 " (first on line " + std::to_string(line) + ", again on line " +
                 std::to_string(value.line()) + ")");
    }
    line = value.line();
    each(*rule, value);
  }
}

RuleModes ReadModes(ConfigNode node, std::string_view key) {
  RuleModes modes(rules::AllRules().size());
  ForEachRule(std::move(node), key, [&](const rules::Rule& rule, ConfigNode value) {
    modes[rules::IndexOf(rule)] = rules::ModeOf(kModeNames[value.AsOneOf(kModeNames)]);
  });
  return modes;
}

std::optional<Mode> ReadMode(ConfigNode node, std::string_view key) {
  const std::size_t index = node.OneOfOr(key, kModeNames, kModeNames.size());
  return index < kModeNames.size() ? rules::ModeOf(kModeNames[index]) : std::nullopt;
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
