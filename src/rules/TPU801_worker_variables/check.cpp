#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace {

bool HasNames(const k8s::Container& container) {
  return container.HasEnv(workload::kTpuWorkerHostNames) ||
         container.HasEnv(workload::kTpuProcessAddresses);
}

// Why nothing was added, and what to do.
workload::NoIdentity Reason(const Subject& subject, const Worker& worker,
                            const k8s::Container& container) {
  if (const auto* why = std::get_if<workload::NoIdentity>(&worker.identity)) return *why;
  if (HasEnvFrom(subject, container)) {
    return {"takes variables from elsewhere by envFrom, which added ones would override",
            "set TPU_WORKER_ID and TPU_WORKER_HOSTNAMES in env, or take envFrom out"};
  }
  if (container.HasEnv(workload::kTpuWorkerId)) {
    return {"has a TPU_WORKER_ID without names", "set TPU_WORKER_HOSTNAMES too, or neither"};
  }
  if (MissingVariables(subject, worker, container).empty()) {
    return {"would have names of more than 128 KiB, with which no process starts",
            "use shorter names, or a smaller slice"};
  }
  return {"was not seen by /mutate, or the fix of this rule is off",
          "let tpu-admission add them, or set TPU_WORKER_ID and TPU_WORKER_HOSTNAMES"};
}

void Check(const Subject& subject, Report& report) {
  const std::optional<Worker> worker = WorkerOf(subject);
  if (!worker || worker->workers < 2) return;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (!container.Stays() || !workload::UsesTpu(container)) continue;
    if (HasNames(container) || RunsAlone(container)) continue;
    const workload::NoIdentity why = Reason(subject, *worker, container);
    report.Add(
        {.pointer = subject.At(container),
         .container = std::string(container.name),
         .summary = fmt::format("the {} of the slice have no TPU_WORKER_HOSTNAMES",
                                Count(worker->workers, "worker")),
         .problem = fmt::format("is one of {} of a slice, but nothing tells it who they are: the "
                                "TPU runtime waits for workers that it cannot find. The pod {}.",
                                Count(worker->workers, "worker"), why.problem),
         .change = why.change});
  }
}

// Where the names lead to the pod only by its hostname and subdomain, it gets them.
void AddHost(const Subject& subject, const workload::WorkerIdentity& identity,
             std::vector<Fix>& fixes) {
  if (identity.workers < 2 || identity.domain.empty()) return;
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (spec.Text("hostname").empty()) fixes.emplace_back(SetHostname{identity.HostLabel()});
  if (spec.Text("subdomain").empty()) {
    fixes.emplace_back(SetSubdomain{identity.domain.substr(1)});
  }
}

void AddIdentity(const Subject& subject, std::vector<Fix>& fixes) {
  const std::optional<Worker> worker = WorkerOf(subject);
  if (!worker || worker->known() == nullptr) return;
  bool named = false;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (container.role == k8s::ContainerRole::kEphemeral) continue;
    std::vector<NewVariable> variables = MissingVariables(subject, *worker, container);
    if (variables.empty()) continue;
    named = true;
    fixes.emplace_back(AddVariables{container.list, container.index, std::move(variables)});
  }
  if (named) AddHost(subject, *worker->known(), fixes);
}

}  // namespace

const Rule kTPU801 = {
    .id = "TPU801",
    .name = "worker-variables",
    .mode = Mode::kWarn,
    .check = Check,
    .fix = AddIdentity,
};

}  // namespace tpu_admission::rules
