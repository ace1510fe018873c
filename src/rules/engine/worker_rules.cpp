#include "rules/engine/worker_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace {

// What is added to one pod. The API server stores no object that is larger than about 1.5 MB, and
// would refuse the pod.
constexpr std::size_t kMostAdded = 640 * 1024;

std::optional<Worker> WorkerOf(const Subject& subject, Served served) {
  const workload::IdentityRow* row = workload::IdentityRowOf(subject.pods.pod);
  if (row == nullptr || row->gke_serves != (served == Served::kJobs)) return std::nullopt;
  return rules::WorkerOf(subject, *row);
}

// Appends what is missing in each container, in their order; nothing at all if that is too much.
// Whether something was.
bool AddMissing(const Subject& subject, const Worker& worker, std::vector<Fix>& fixes) {
  const std::size_t before = fixes.size();
  std::size_t bytes = 0;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (container.role == k8s::ContainerRole::kEphemeral) continue;
    std::vector<NewVariable> variables = MissingVariables(subject, worker, container);
    if (variables.empty()) continue;
    for (const NewVariable& variable : variables) bytes += variable.value.size();
    if (bytes > kMostAdded) {
      fixes.resize(before);
      return false;
    }
    fixes.emplace_back(AddVariables{container.list, container.index, std::move(variables)});
  }
  return fixes.size() > before;
}

// Whether names may be too long for a variable or for the pod. Each container gets an address of
// each process, of at most 253 bytes with a port and two marks beside.
bool MayBeTooLong(const Subject& subject, const Worker& worker) {
  constexpr std::size_t kFewAddresses = 256;
  static_assert(kFewAddresses * (253 + 7) < std::min(kMostAdded, kLongestVariable));
  const std::size_t containers = subject.pods.pod.spec.containers.size();
  return static_cast<std::size_t>(worker.workers) * containers * containers > kFewAddresses;
}

// Why nothing was added, and what to do.
workload::NoIdentity Reason(const Subject& subject, const Worker& worker,
                            const k8s::Container& container) {
  if (const auto* why = std::get_if<workload::NoIdentity>(&worker.identity)) return *why;
  if (HasEnvFrom(container)) {
    return {"takes variables from elsewhere by envFrom, which added ones would override",
            "set TPU_WORKER_ID and TPU_WORKER_HOSTNAMES in env, or take envFrom out"};
  }
  if (container.HasEnv(workload::kTpuWorkerId)) {
    return {"has a TPU_WORKER_ID without names", "set TPU_WORKER_HOSTNAMES too, or neither"};
  }
  if (MayBeTooLong(subject, worker)) {
    if (MissingVariables(subject, worker, container).empty()) {
      return {"would have names of more than 128 KiB, with which no process starts",
              "use shorter names, or a smaller slice"};
    }
    if (std::vector<Fix> none; !AddMissing(subject, worker, none)) {
      return {"would have names of more than 640 KiB in all its containers",
              "use fewer containers with chips, or shorter names"};
    }
  }
  return {"was not seen by /mutate, or the fix of this rule is off",
          "let tpu-admission add them, or set TPU_WORKER_ID and TPU_WORKER_HOSTNAMES"};
}

}  // namespace

bool HasNames(const k8s::Container& container) {
  return container.HasEnv(workload::kTpuWorkerHostNames) ||
         container.HasEnv(workload::kTpuProcessAddresses);
}

void ReportUnnamed(const Subject& subject, Served served, Report& report) {
  const std::optional<Worker> worker = WorkerOf(subject, served);
  if (!worker || worker->workers < 2) return;
  const std::string workers = Counted(worker->workers, "worker");
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (!container.Stays() || !workload::UsesTpu(container)) continue;
    if (HasNames(container) || RunsAlone(container)) continue;
    if (ShortCommands commands; ShellMaySetBounds(container, commands)) continue;
    workload::NoIdentity why = Reason(subject, *worker, container);
    report.Add(
        container,
        {.summary = fmt::format("the {} of the slice have no TPU_WORKER_HOSTNAMES", workers),
         .problem = fmt::format("is one of {} of a slice, but nothing tells it who they are: the "
                                "TPU runtime waits for workers that it cannot find. The pod {}.",
                                workers, why.problem),
         .change = std::move(why.change),
         .decision = "who tells the workers who they are"});
  }
}

void AddIdentity(const Subject& subject, Served served, std::vector<Fix>& fixes) {
  const std::optional<Worker> worker = WorkerOf(subject, served);
  if (!worker || worker->known() == nullptr) return;
  if (AddMissing(subject, *worker, fixes)) AddHost(*worker->known(), fixes);
}

}  // namespace tpu_admission::rules
