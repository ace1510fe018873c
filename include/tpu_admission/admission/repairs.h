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

// The end of a denial: "What would run:" and a line for each repair, or nothing.
std::string WhatWouldRun(const std::vector<repair::Repair>& repairs);

}  // namespace tpu_admission::admission
