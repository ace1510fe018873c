// What would run in the place of an object that is denied or warned.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/repair/repair.h"

namespace tpu_admission::admission {

// Whether a finding is to stay, for a reason beside policy and exemptions: a comment in the file,
// or a flag.
using IsExcused = std::function<bool(const rules::Finding&)>;

// Repairs of what is wrong by `judgement`, each proven by Judge() itself: the edited object, as a
// new one, is not denied and has no warning that it did not have. What then warns and says how is
// part of it, where that is found, so that mending it twice changes no more. Nothing if nothing is
// wrong, if a person must decide something first, or if nothing sound was found. A policy that only
// audits for now (would_be) counts as if it were enforced. What is off, exempted or excused stays:
// its field, and what its own edits would change. Views as those of `judgement`.
std::vector<repair::Repair> RepairsOf(const Settings& settings, const Submission& submission,
                                      const Judgement& judgement, k8s::Arena& arena,
                                      const IsExcused& is_excused = {});

// What mends one pod template safely, as /mutate mends Pods: it only adds, and where nothing is
// set.
struct TemplateFix {
  const rules::Rule* rule = nullptr;
  std::string pointer;       // of the pod template in the object; "" for a Pod
  std::string patch;         // RFC 6902, of the template, as JSON text; it has only `add`
  bool is_of_shape = false;  // right for the shape that is written, and for no other
};

// The fixes that the policy lets in, of a workload that was judged. Who a worker is (variables,
// host name) is left out: in a template nothing but its own webhook may say that; and what would
// mend a finding that is excused. (An exemption changes no fix: docs/policy.md.)
std::vector<TemplateFix> FixesOf(const Settings& settings, const Submission& submission,
                                 const Judgement& judgement, const IsExcused& is_excused = {});

// The end of a denial: "What would run:" and a line for each repair, with what no edit gives, or
// nothing.
std::string WhatWouldRun(const std::vector<repair::Repair>& repairs);
// The end of a denial without any: one line that says why, by what denies.
std::string WhyNoRepair(const std::vector<JudgedFinding>& findings);

}  // namespace tpu_admission::admission
