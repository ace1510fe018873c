// What the platform team decided: a mode for a rule, fixes on or off, by namespace. Read from the
// YAML file of --policy; without one, every rule has its own default.
//
// Immutable after Load(), safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/rules/finding.h"

namespace tpu_admission::admission {

class Policy {
 public:
  // Strict: an unknown key, rule or mode is an error "origin:LINE:COLUMN: key: what".
  static Result<Policy> Load(std::string_view text, std::string_view origin);

  // What becomes of `finding` in `namespace_name`. A mode that is set for a rule holds for all its
  // findings, the less certain ones too.
  rules::Mode ModeOf(const rules::Finding& finding, std::string_view namespace_name) const;
  bool FixOf(const rules::Rule& rule, std::string_view namespace_name) const;
  // Objects whose parent was judged already: audit unless the policy says `children: deny`.
  bool children_may_be_denied() const { return children_may_be_denied_; }

 private:
  struct RuleSetting {
    std::optional<rules::Mode> mode;
    std::optional<bool> fix;
  };
  // Settings for the namespaces that match a glob, by the rule's place in AllRules().
  struct Section {
    std::string namespaces;
    std::vector<RuleSetting> settings;
  };
  friend class PolicyLoader;

  // The last matching section that has an opinion, as `pick` reads it.
  template <typename T>
  std::optional<T> Last(const rules::Rule& rule, std::string_view namespace_name,
                        std::optional<T> RuleSetting::*pick) const;

  std::vector<Section> sections_;  // the first is the default, for every namespace
  bool children_may_be_denied_ = false;
};

}  // namespace tpu_admission::admission
