// The one judge: what becomes of an object, whoever asks. /validate and `check` call it and nothing
// else. Pure: no I/O, clock or globals; safe from any thread, each with an arena of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/decision.h"
#include "tpu_admission/admission/policy.h"
#include "tpu_admission/base/day.h"
#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/gvk.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/rules/engine.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::admission {

// Everything a decision depends on beside the object; replaced as a whole when a file changes.
struct Settings {
  rules::Engine engine;
  Policy policy;
  std::string docs_url;  // base of links in messages; empty: no links

  // The rules whose fixes are made in the namespace.
  std::vector<const rules::Rule*> FixingRules(std::string_view namespace_name) const {
    return policy.FixingRules(engine.cluster().platform, namespace_name);
  }
};

// An object that somebody wants to have in a cluster.
struct Submission {
  k8s::GroupVersionKind gvk;
  k8s::JsonView object;
  k8s::JsonView before;             // what an UPDATE puts `object` in the place of; else absent
  std::string_view namespace_name;  // may be empty: not known
  Day today;                        // UTC; exemptions may end
  const workload::Companions* companions = nullptr;  // of the same file, where there is one
  bool speaks_for_owner = false;  // what a known kind made is judged as hard as that would be
};

struct Judgement {
  enum class State {
    kNotOurs,     // of a kind we do not know, without TPUs, or on its way out
    kUnreadable,  // `reason` says why
    kNotChecked,  // there is more of it than is looked at, so it is let in; `reason` says of what
    kJudged,
  };
  State state = State::kNotOurs;
  std::string reason;
  // kNotChecked: kind and metadata. kJudged: all of it.
  workload::Workload workload;
  // kJudged. An UPDATE that leaves pod templates and counts as they were has no findings.
  Decision decision;
};

// Views of the answer live as long as the JSON of `submission`, the settings and the arena.
Judgement Judge(const Settings& settings, const Submission& submission, k8s::Arena& arena);

}  // namespace tpu_admission::admission
