// A named set of rule modes: the layer between a rule's own mode and the policy. The profiles stand
// in config/profiles.yaml, which is built into the binary and says what each of its keys means.
//
// Immutable after LoadProfiles(), safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/rules/cluster.h"
#include "tpu_admission/rules/finding.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::admission {

// By the rule's place in AllRules(); nothing: the rule is not named.
using RuleModes = std::vector<std::optional<rules::Mode>>;

struct Profile {
  // Settings for the findings about some kinds and pods.
  struct Case {
    std::string kind = "*";             // a glob
    std::string accelerator = "*";      // a glob; some alternative of the node selection matches
    std::optional<std::int64_t> count;  // of the pods, as written: 0 for `numOfHosts: 0`
    std::optional<std::int64_t> chips;  // of a pod
    bool without_topology = false;      // no alternative of the node selection names one
    bool sliced = false;                // the pods have the annotation of a slice topology
    RuleModes modes;
    std::vector<std::string> sentences;  // by the rule's place; empty: none
  };

  std::string name;
  std::string purpose;  // one line
  std::optional<rules::Platform> platform;
  RuleModes modes;
  std::vector<Case> cases;

  // What becomes of `finding` before the policy has its say. Where the object only serves others,
  // or its author asked GKE to skip the check that the rule repeats, no profile makes it harder.
  rules::Mode ModeOf(const rules::Finding& finding, const workload::Workload& workload) const;
  // What another webhook would have said, or nothing. Lives as long as the profile.
  std::string_view SentenceFor(const rules::Finding& finding,
                               const workload::Workload& workload) const;
};

// In the order of the text. Strict: an unknown key, rule or mode is an error
// "origin:LINE:COLUMN: key: what".
Result<std::vector<Profile>> LoadProfiles(std::string_view text, std::string_view origin);

// config/profiles.yaml as it was when the binary was built.
std::string_view BuiltInProfilesText();
// Read once, at the first call; from then on as constant as the text.
const std::vector<Profile>& BuiltInProfiles();

}  // namespace tpu_admission::admission
