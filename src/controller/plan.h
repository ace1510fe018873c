// What to do next about the certificates: a pure function of what there is, and of the time.
//
// The order that makes it safe: an authority is published to the configurations (kPrepare) before
// anything is signed by it (kPromote), and stays published until it has expired (kTidy), so every
// serving certificate that is still valid is trusted wherever it is still in use.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "controller/material.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::controller {

enum class Step {
  kNothing,
  kStartOver,  // a new authority and a serving certificate at once: there is nothing to build on
  kIssue,      // a serving certificate by the authority that signs
  kPrepare,    // another authority, which signs nothing yet
  kPromote,    // the prepared authority signs from now on: a serving certificate by it
  kTidy,       // drop what has expired or is of no use
};

struct Plan {
  Step step = Step::kNothing;
  std::string why;  // one line; empty for kNothing
};

struct Circumstances {
  Clock::Wall now;
  // All configurations have carried the prepared authority long enough.
  bool next_is_published = false;
};

struct Lifetimes {
  std::chrono::seconds certificate;
  std::chrono::seconds authority;
};

// `names` are what a serving certificate must be for.
Plan MakePlan(const Material& material, const std::vector<std::string>& names,
              const Lifetimes& lifetimes, const Circumstances& circumstances);

// `material` after the step. Makes keys; changes nothing else in the world.
Result<Material> ApplyStep(Step step, Material material, const std::vector<std::string>& names,
                           const Lifetimes& lifetimes, Clock::Wall now);

}  // namespace tpu_admission::controller
