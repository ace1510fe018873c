#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace tpu807 {

// Sets the host up alone on purpose.
bool HasBounds(const k8s::Container& container) {
  return container.HasEnv(workload::kTpuProcessBounds) ||
         container.HasEnv(workload::kTpuHostBounds);
}

// Several workers of Ray, and GKE's default for a pod of one host.
bool IsLocal(const k8s::Container& container) {
  return container.role != k8s::ContainerRole::kEphemeral && workload::UsesTpu(container) &&
         container.EnvValue(workload::kTpuWorkerHostNames) == "localhost" &&
         !HasBounds(container) && !HasEnvFrom(container);
}

std::optional<Worker> RayWorkerOf(const Subject& subject) {
  const workload::IdentityRow* row = workload::IdentityRowOf(subject.pods.pod);
  if (row == nullptr || !row->is_ray) return std::nullopt;
  std::optional<Worker> worker = WorkerOf(subject);
  if (worker && (worker->known() == nullptr || worker->workers < 2)) worker.reset();
  return worker;
}

void Check(const Subject& subject, Report& report) {
  const std::optional<Worker> worker = RayWorkerOf(subject);
  if (!worker) return;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (!container.Stays() || !IsLocal(container)) continue;
    report.Add(container,
               {.pointer = subject.AtEnv(container, workload::kTpuWorkerHostNames),
                .summary = fmt::format("TPU_WORKER_HOSTNAMES is localhost on one of {} of a slice",
                                       Counted(worker->workers, "worker")),
                .problem = fmt::format("is localhost, but the slice has {}: each would run for "
                                       "itself. GKE writes this into pods of a single host.",
                                       Counted(worker->workers, "worker")),
                .change = "turn on the fix of this rule, or set TPU_PROCESS_BOUNDS where hosts are "
                          "meant to run alone",
                .decision = "whether the hosts run alone"});
  }
}

// Whether the value that is there is one that GKE writes by itself: the container's number among
// those of the pod, or localhost.
bool IsDefault(const k8s::Container& container, const Process& process, std::string_view name) {
  const std::optional<std::string_view> value = container.EnvValue(name);
  if (!value) return false;
  if (name == workload::kTpuWorkerHostNames) return *value == "localhost";
  if (name == workload::kTpuProcessAddresses) return value->find("localhost") != value->npos;
  return name == workload::kTpuWorkerId && *value == std::to_string(process.number);
}

void Mend(const Subject& subject, const Worker& worker, const k8s::Container& container,
          std::vector<Fix>& fixes) {
  const Process process = ProcessOf(subject, container);
  std::vector<NewVariable> wanted = VariablesOf(worker, process, container);
  if (!Fits(wanted)) return;
  AddVariables missing{container.list, container.index, {}};
  for (NewVariable& variable : wanted) {
    if (!container.HasEnv(variable.name)) {
      missing.variables.push_back(std::move(variable));
    } else if (IsDefault(container, process, variable.name) &&
               container.EnvValue(variable.name) != variable.value) {
      fixes.emplace_back(ReplaceVariable{container.list, container.index,
                                         container.EnvIndex(variable.name), std::move(variable)});
    }
  }
  if (!missing.variables.empty()) fixes.emplace_back(std::move(missing));
}

void MendAll(const Subject& subject, std::vector<Fix>& fixes) {
  const std::optional<Worker> worker = RayWorkerOf(subject);
  if (!worker) return;
  const std::size_t before = fixes.size();
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (IsLocal(container)) Mend(subject, *worker, container, fixes);
  }
  if (fixes.size() > before) AddHost(*worker->known(), fixes);
}

}  // namespace tpu807

const Rule kTPU807 = {
    .id = "TPU807",
    .name = "ray-localhost",
    .mode = Mode::kAudit,
    .check = tpu807::Check,
    .fix = tpu807::MendAll,
    .fix_default = FixDefault::kOff,
};

}  // namespace tpu_admission::rules
