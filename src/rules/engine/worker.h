// What a worker of a slice is to be told by its environment, and whether it is.
#pragma once

#include <variant>
#include <vector>

#include "rules/engine/subject.h"
#include "tpu_admission/workload/worker_identity.h"

namespace tpu_admission::rules {

// A v1 Pod that is one of several workers of a slice, or of Ray.
struct Worker {
  const workload::IdentityRow* row = nullptr;
  std::int64_t workers = 1;
  std::variant<workload::WorkerIdentity, workload::NoIdentity> identity;

  const workload::WorkerIdentity* known() const {
    return std::get_if<workload::WorkerIdentity>(&identity);
  }
};
// Nothing where the pod or the number of workers does not say who it is, where others tell it, and
// on GKE for the Jobs that GKE's own webhook tells.
std::optional<Worker> WorkerOf(const Subject& subject);

// The variables that `container` of the worker lacks and that are safe to add: none if a part of
// its identity is set by somebody else, comes from elsewhere (envFrom), or would be too long for a
// process to start.
std::vector<NewVariable> MissingVariables(const Subject& subject, const Worker& worker,
                                          const k8s::Container& container);

// Linux takes no longer "NAME=value" when it starts a process (MAX_ARG_STRLEN without the NUL).
inline constexpr std::size_t kLongestVariable = 128 * 1024 - 1;

// The program runs on a part of its slice, each host for itself.
bool RunsAlone(const k8s::Container& container);
bool HasEnvFrom(const Subject& subject, const k8s::Container& container);

}  // namespace tpu_admission::rules
