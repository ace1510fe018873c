#include "tpu_admission/offline/rule_choice.h"

#include <algorithm>
#include <cctype>

#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

constexpr std::size_t kLetters = 3;  // "TPU"

std::string Raised(std::string_view text) {
  std::string raised(text);
  for (char& c : raised) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return raised;
}

// How the ids begin that `word` stands for; empty: it stands for none.
std::string BeginningOf(std::string_view word) {
  std::string upper = Raised(word);
  while (upper.ends_with('X')) upper.pop_back();
  const std::string letters(rules::AllRules().front()->id.substr(0, kLetters));
  if (!upper.starts_with(letters)) upper.insert(0, letters);
  const bool digits =
      upper.size() > kLetters && std::all_of(upper.begin() + kLetters, upper.end(),
                                             [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits ? upper : "";
}

Status Mark(const std::vector<std::string>& words, bool chosen, std::vector<bool>& all) {
  for (const std::string& word : words) {
    const rules::Rule* const named = RuleNamed(word);
    const std::string beginning = BeginningOf(word);
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const rules::Rule* const rule = rules::AllRules()[i];
      if (named != nullptr ? rule != named
                           : beginning.empty() || !rule->id.starts_with(beginning)) {
        continue;
      }
      all[i] = chosen;
      found = true;
    }
    if (!found) return Error{rules::NoSuchRule(word)};
  }
  return OkStatus();
}

}  // namespace

const rules::Rule* RuleNamed(std::string_view name) {
  const rules::Rule* const by_id = rules::FindRule(Raised(name));
  return by_id != nullptr ? by_id : rules::FindRule(LowerCase(name));
}

std::string FamilyNamed(std::string_view name) {
  const std::string beginning = BeginningOf(name);
  const auto all = rules::AllRules();
  const bool any =
      !beginning.empty() && std::any_of(all.begin(), all.end(), [&](const rules::Rule* rule) {
        return rule->id.starts_with(beginning);
      });
  return any ? beginning : "";
}

Result<RuleChoice> RuleChoice::Parse(const std::vector<std::string>& select,
                                     const std::vector<std::string>& ignore) {
  RuleChoice choice;
  if (select.empty() && ignore.empty()) return choice;
  choice.chosen_.assign(rules::AllRules().size(), select.empty());
  TPU_ADMISSION_TRY_STATUS(Mark(select, true, choice.chosen_));
  TPU_ADMISSION_TRY_STATUS(Mark(ignore, false, choice.chosen_));
  if (std::find(choice.chosen_.begin(), choice.chosen_.end(), true) == choice.chosen_.end()) {
    return Error{"--select and --ignore leave no rule to tell of"};
  }
  return choice;
}

bool RuleChoice::Has(const rules::Rule& rule) const {
  return chosen_.empty() || chosen_[rules::IndexOf(rule)];
}

}  // namespace tpu_admission::offline
