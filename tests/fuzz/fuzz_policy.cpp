// Any bytes as a policy: refused with its place, or a policy that decides about every rule.
#include <memory>
#include <string>

#include "fuzz/require.h"
#include "tpu_admission/admission/policy.h"
#include "tpu_admission/rules/rule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace ta = tpu_admission;
  const auto policy = ta::admission::Policy::Load(ta::fuzz::Text(data, size), "p.yaml");
  if (!policy) {
    REQUIRE(policy.error().message.starts_with("p.yaml:"));
    return 0;
  }
  ta::workload::Workload workload;
  workload.kind = policy->kinds().Find("batch", "Job");
  REQUIRE(workload.kind != nullptr);
  for (const ta::rules::Rule* const rule : ta::rules::AllRules()) {
    ta::rules::Finding finding;
    finding.rule = rule;
    for (const char* const space : {"", "default", "team-a"}) {
      const auto modes = policy->ModesOf(finding, workload, space);
      REQUIRE(ta::admission::PolicyModes(modes) == policy->ModesOf(finding, workload, space));
      (void)policy->MayBeIgnored(*rule, space);
    }
  }
  for (const char* const space : {"", "default", "team-a"}) {
    (void)policy->FixingRules(ta::rules::Platform{}, space);
  }
  return 0;
}
