// Which rules somebody wants to hear of: --select and --ignore.
#pragma once

#include <string>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/rules/rule.h"

namespace tpu_admission::offline {

// A value; all rules unless it was made by Parse().
class RuleChoice {
 public:
  RuleChoice() = default;
  // Each word is the id of a rule, its name, or how ids begin ("TPU5", "5xx"), in any case.
  // `select` empty: all. A word that is none of these is an error with the nearest that exists.
  static Result<RuleChoice> Parse(const std::vector<std::string>& select,
                                  const std::vector<std::string>& ignore);
  bool Has(const rules::Rule& rule) const;

 private:
  std::vector<bool> chosen_;  // by the rule's place in AllRules(); empty: all
};

// The rule of this id or name in any case; nullptr: none.
const rules::Rule* RuleNamed(std::string_view name);

// How the ids begin of the rules that "TPU3", "3xx" or "3" stands for; empty: there are none.
std::string FamilyNamed(std::string_view name);

}  // namespace tpu_admission::offline
