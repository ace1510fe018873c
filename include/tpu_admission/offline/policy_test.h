// Cases that a policy is held against: manifests and the verdicts that are expected of them. Pure.
//
//   cases:
//   - name: research may halve a slice
//     manifest: manifests/half.yaml      # or text: |, with the manifest itself
//     namespace: research                # of objects that name none
//     expect: warn                       # allow, warn or deny
//     rules: {<id>: warn}              # and of these rules exactly this; off: no finding
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

enum class Verdict { kAllow, kWarn, kDeny };

struct PolicyCase {
  std::string name;
  std::string manifest;  // a path, relative to the file of the cases; empty: `text`
  std::string text;
  std::string namespace_name;
  Verdict expected = Verdict::kAllow;
  std::map<const rules::Rule*, rules::Mode> rules;
};

struct PolicyCases {
  std::string policy;  // a path, relative to the file of the cases; empty: none
  std::vector<PolicyCase> cases;
};

// Strict: "origin:LINE:COLUMN: key: what".
Result<PolicyCases> ReadPolicyCases(std::string_view text, std::string_view origin);

// What is otherwise than expected, a line each; empty: the case holds. `text`: of the manifest.
std::vector<std::string> TestCase(const admission::Settings& settings, const PolicyCase& given,
                                  std::string text, Day today);

}  // namespace tpu_admission::offline
