// What would run in the place of an object that is denied or warned.
#pragma once

#include <string>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/repair/repair.h"

namespace tpu_admission::admission {

// Repairs of what is wrong by `judgement`, each proven by Judge() itself: the edited object, as a
// new one, is not denied and has no warning that it did not have. Nothing if nothing is wrong, if a
// person must decide something first, or if nothing sound was found. A policy that only audits
// for now (would_be) counts as if it were enforced. Views as those of `judgement`.
std::vector<repair::Repair> RepairsOf(const Settings& settings, const Submission& submission,
                                      const Judgement& judgement, k8s::Arena& arena);

// What mends one pod template safely, as /mutate mends Pods: it only adds, and where nothing is
// set.
struct TemplateFix {
  const rules::Rule* rule = nullptr;
  std::string pointer;  // of the pod template in the object; "" for a Pod
  std::string patch;    // RFC 6902, of the template, as JSON text; it has only `add`
};

// The fixes that the policy lets in, of a workload that was judged. Who a worker is (variables,
// host name) is left out: in a template nothing but its own webhook may say that.
std::vector<TemplateFix> FixesOf(const Settings& settings, const Submission& submission,
                                 const Judgement& judgement);

// The end of a denial: "What would run:" and a line for each repair, or nothing.
std::string WhatWouldRun(const std::vector<repair::Repair>& repairs);
// The end of a denial without any: one line that says why, by what denies.
std::string WhyNoRepair(const std::vector<JudgedFinding>& findings);

}  // namespace tpu_admission::admission
