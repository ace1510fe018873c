// From findings to a decision.
#pragma once

#include <set>
#include <string_view>

#include "tpu_admission/admission/decision.h"
#include "tpu_admission/admission/policy.h"
#include "tpu_admission/base/day.h"
#include "tpu_admission/rules/engine.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::admission {

// What an UPDATE replaces, for ratcheting.
struct Before {
  std::set<rules::FaultId> faults;  // of the old object; views its evaluation
  const rules::Evaluation* evaluation = nullptr;
  k8s::JsonView object;                          // the old one
  k8s::JsonView replaced_by;                     // the new one
  const workload::Workload* workload = nullptr;  // of the old object, if it could be read
  bool same_pods = false;                        // only counts changed, no pod template
  bool only_releases = false;                    // it lets a suspended or gated workload go
};

// What decides beside the findings.
struct Circumstances {
  std::string_view namespace_name;
  Day today;                       // UTC
  const Before* before = nullptr;  // of an UPDATE
  bool speaks_for_owner = false;   // nobody else is there to be judged for it
};

// All faults of a workload, whatever their mode. Views `evaluation`.
std::set<rules::FaultId> FaultsOf(const rules::Evaluation& evaluation,
                                  const workload::Workload& workload, const Policy& policy,
                                  std::string_view namespace_name);

// Applies policy, parenthood, ratcheting and exemptions, in this order. Where every alternative of
// a node selection has a fault of its own that denies, the faults of one are told: of that which
// has the fewest.
Decision Decide(rules::Evaluation evaluation, const workload::Workload& workload,
                const Policy& policy, const Circumstances& circumstances);

}  // namespace tpu_admission::admission
