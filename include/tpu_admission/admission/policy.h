// What the platform team decided: a profile, a mode for a rule, fixes on or off, what may be
// ignored, by namespace. Read from the YAML file of --policy; without one, the standard profile.
//
// Immutable after Load(), safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/profile.h"
#include "tpu_admission/base/result.h"
#include "tpu_admission/rules/finding.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::admission {

// What a policy makes of a finding, and what it would if no section had a `default`.
struct PolicyModes {
  rules::Mode mode = rules::Mode::kOff;
  rules::Mode would_be = rules::Mode::kOff;  // never milder than `mode`
  friend bool operator==(const PolicyModes&, const PolicyModes&) = default;
};

class Policy {
 public:
  // Strict: an unknown key, rule, mode or profile is an error "origin:LINE:COLUMN: key: what".
  // `profile`: the name of the profile to take instead of the file's own; empty: none.
  static Result<Policy> Load(std::string_view text, std::string_view origin,
                             std::string_view profile = {});

  const Profile& profile() const { return profile_; }
  // The built-in workload kinds and those that the file adds.
  const workload::KindTable& kinds() const { return kinds_; }

  // What becomes of `finding` in `namespace_name`. A mode that is set for a rule holds for all its
  // findings, the less certain ones too.
  PolicyModes ModesOf(const rules::Finding& finding, const workload::Workload& workload,
                      std::string_view namespace_name) const;
  // The rules whose fixes are made in `namespace_name`, in the order of their ids.
  std::vector<const rules::Rule*> FixingRules(rules::Platform platform,
                                              std::string_view namespace_name) const;
  // Whether authors of objects may ask to be excused from `rule`.
  bool MayBeIgnored(const rules::Rule& rule, std::string_view namespace_name) const;
  // Whether some rule is off for somebody.
  bool turns_rules_off() const;
  // Objects whose parent was judged already: audit unless the policy says `children: deny`.
  bool children_may_be_denied() const { return children_may_be_denied_; }

 private:
  struct RuleSetting {
    std::optional<rules::Mode> mode;
    std::optional<bool> fix;
    std::optional<bool> may_be_ignored;
  };
  // Settings for the namespaces that match a glob, by the rule's place in AllRules().
  struct Section {
    std::string namespaces;
    std::optional<rules::Mode> at_most;  // `default`: for the rules without a mode
    std::vector<RuleSetting> settings;
  };
  friend class PolicyLoader;

  // Rules are meant by their place in AllRules().
  bool FixOf(std::size_t rule, rules::Platform platform, std::string_view namespace_name) const;
  // The last matching section that has an opinion, as `pick` reads it.
  template <typename T>
  std::optional<T> Last(std::size_t rule, std::string_view namespace_name,
                        std::optional<T> RuleSetting::*pick) const;
  // `own`, as all sections together change it.
  PolicyModes Decide(std::size_t rule, rules::Mode own, std::string_view namespace_name) const;

  Profile profile_;
  workload::KindTable kinds_;
  std::vector<Section> sections_;  // the first is the default, for every namespace
  bool children_may_be_denied_ = false;
};

}  // namespace tpu_admission::admission
