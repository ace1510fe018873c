#include "tpu_admission/rules/rule.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "rules/engine/list.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

constexpr std::array kAllRules = {
#define TPU_ADMISSION_RULE(id, name) &k##id,
#include "rules/list.def"
#undef TPU_ADMISSION_RULE
};

constexpr std::array<std::string_view, 4> kModeNames = {"off", "audit", "warn", "deny"};

}  // namespace

std::string_view Name(Mode mode) { return kModeNames[static_cast<std::size_t>(mode)]; }

std::optional<Mode> ModeOf(std::string_view name) {
  const auto found = std::find(kModeNames.begin(), kModeNames.end(), name);
  if (found == kModeNames.end()) return std::nullopt;
  return static_cast<Mode>(found - kModeNames.begin());
}

bool FixesByDefault(const Rule& rule, Platform platform) {
  if (rule.fix == nullptr || rule.fix_default == FixDefault::kOff) return false;
  return rule.fix_default == FixDefault::kOn || platform == Platform::kSelfManaged;
}

std::span<const Rule* const> AllRules() { return kAllRules; }

const Rule* FindRule(std::string_view id_or_name) {
  const auto by_id = std::lower_bound(  // the list is in the order of the ids
      kAllRules.begin(), kAllRules.end(), id_or_name,
      [](const Rule* rule, std::string_view id) { return rule->id < id; });
  if (by_id != kAllRules.end() && (*by_id)->id == id_or_name) return *by_id;
  const auto found = std::find_if(kAllRules.begin(), kAllRules.end(),
                                  [&](const Rule* rule) { return rule->name == id_or_name; });
  return found == kAllRules.end() ? nullptr : *found;
}

std::string NoSuchRule(std::string_view word) {
  constexpr std::size_t kMaxEdits = 2;
  std::vector<std::string_view> names;
  std::vector<std::string_view> ids;
  for (const Rule* rule : AllRules()) {
    names.push_back(rule->name);
    ids.push_back(rule->id);
  }
  std::string_view nearest = Nearest(word, ids, 1);  // two digits away is another rule
  if (nearest.empty()) nearest = Nearest(word, names, std::min(kMaxEdits, word.size() / 3));
  return "there is no rule " + Quoted(word) +
         (nearest.empty() ? "; " : ", did you mean " + std::string(nearest) + "? ") +
         "`tpu-admission explain` lists all";
}

std::size_t IndexOf(const Rule& rule) {
  return std::size_t(std::find(kAllRules.begin(), kAllRules.end(), &rule) - kAllRules.begin());
}

}  // namespace tpu_admission::rules
