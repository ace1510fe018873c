// What a worker of a slice is to be told by its environment, and whether it is.
#pragma once

#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/engine/command.h"
#include "rules/engine/subject.h"
#include "tpu_admission/workload/tpu_variables.h"
#include "tpu_admission/workload/worker_identity.h"

namespace tpu_admission::rules {

// A v1 Pod that is one of several workers of a slice, or of Ray.
struct Worker {
  const workload::IdentityRow* row = nullptr;
  const k8s::ObjectMeta* metadata = nullptr;  // of the pod
  std::int64_t workers = 1;
  std::variant<workload::WorkerIdentity, workload::NoIdentity> identity;

  const workload::WorkerIdentity* known() const {
    return std::get_if<workload::WorkerIdentity>(&identity);
  }
};
// Nothing where the pod or the number of workers does not say who it is, and where others tell it.
// With a `row`: that of the pod.
std::optional<Worker> WorkerOf(const Subject& subject);
std::optional<Worker> WorkerOf(const Subject& subject, const workload::IdentityRow& row);
// Whether there is one; works out no names.
bool IsToBeTold(const Subject& subject);

// The place of a container among the processes of its pod: each container with chips is one; an
// init container runs by itself.
struct Process {
  std::int64_t of = 1;
  std::int64_t number = 0;
};
Process ProcessOf(const Subject& subject, const k8s::Container& container);

// All that `container` of a worker whose identity is known is to be told.
std::vector<NewVariable> VariablesOf(const Worker& worker, const Process& process,
                                     const k8s::Container& container);
// Those that it lacks and that are safe to add: none if a part of its identity is set by somebody
// else, comes from elsewhere (envFrom, a shell), or would be too long for a process to start.
std::vector<NewVariable> MissingVariables(const Subject& subject, const Worker& worker,
                                          const k8s::Container& container);
// Appends hostname and subdomain where the names of the workers lead to the pod only by these, and
// it has none.
void AddHost(const workload::WorkerIdentity& identity, std::vector<Fix>& fixes);

// Linux takes no longer "NAME=value" when it starts a process (MAX_ARG_STRLEN without the NUL).
inline constexpr std::size_t kLongestVariable = 128 * 1024 - 1;
bool Fits(const std::vector<NewVariable>& variables);

// Variables by which a program says that it runs on a part of its slice on purpose.
inline constexpr std::array<std::string_view, 4> kOwnBounds = {
    workload::kTpuProcessBounds, workload::kTpuHostBounds, workload::kTpuWorkerHostNames,
    workload::kTpuProcessAddresses};
// The program runs on a part of its slice, each host for itself.
bool RunsAlone(const k8s::Container& container);
// A shell may set some of kOwnBounds, over those of the container: "export TPU_HOST_BOUNDS=1,1,1".
// So may what is too long to be looked through.
bool ShellMaySetBounds(const k8s::Container& container, ShortCommands& commands);
// One of the containers runs alone, or may.
bool MayRunAlone(const k8s::PodSpec& spec);
bool HasEnvFrom(const k8s::Container& container);

}  // namespace tpu_admission::rules
