#include "rules/engine/worker.h"

#include <algorithm>

#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace {

using k8s::Container;

constexpr std::int64_t kMegascalePort = 8081;

// "a:8476,a:8477,b:8476,b:8477"
std::string Addresses(const workload::WorkerIdentity& identity, std::int64_t processes,
                      std::int64_t port) {
  std::string text;
  for (std::int64_t worker = 0; worker < identity.workers; ++worker) {
    for (std::int64_t i = 0; i < processes; ++i) {
      if (!text.empty()) text += ',';
      identity.AppendHost(text, worker);
      text.append(":").append(std::to_string(port + i));
    }
  }
  return text;
}

class Variables {
 public:
  Variables() { list_.reserve(8); }

  template <const std::string_view& kName>
  void Add(std::string value, bool is_field = false) {
    static_assert(workload::IsTpuVariable(kName), "MissingVariables() would add it twice");
    list_.push_back({kName, std::move(value), is_field});
  }
  std::vector<NewVariable> Finish() && { return std::move(list_); }

 private:
  std::vector<NewVariable> list_;
};

void AddWorker(const Worker& worker, const Process& process, Variables& variables) {
  const workload::WorkerIdentity& identity = *worker.known();
  variables.Add<workload::kTpuWorkerId>(std::to_string(identity.id * process.of + process.number));
  if (identity.workers > 1) variables.Add<workload::kTpuWorkerHostNames>(identity.HostNames());
  if (identity.workers > 1 && process.of > 1) {
    const std::int64_t port = worker.row->process_port;
    variables.Add<workload::kTpuProcessAddresses>(Addresses(identity, process.of, port));
    variables.Add<workload::kTpuProcessPort>(std::to_string(port + process.number));
  }
  variables.Add<workload::kTpuName>(identity.name);
  if (!worker.row->is_ray) return;
  variables.Add<workload::kTpuDevicePluginHostIp>("status.hostIP", true);
  variables.Add<workload::kTpuDevicePluginAddress>("$(TPU_DEVICE_PLUGIN_HOST_IP):2112");
}

// Whether the slices work together is not in the pod, and independent ones that are told that they
// do wait for each other. So the user says it, by MEGASCALE_NUM_SLICES; a JobSet also by a
// coordinator that is the first of these workers. Ray changes its number of slices.
bool WorkTogether(const Worker& worker, const workload::SliceGroup& group,
                  const Container& container) {
  if (group.coordinator.empty()) return false;
  const bool said = container.HasEnv(workload::kMegascaleNumSlices);
  const auto number = container.EnvValue(workload::kMegascaleNumSlices);
  if (worker.row->is_ray) return said && number != "" && number != "0" && number != "1";
  if (group.slices < 2) return false;
  if (!said) return group.is_coordinated;
  return !number || *number == std::to_string(group.slices);
}

void AddSlices(const Worker& worker, const Process& process, const Container& container,
               Variables& variables) {
  const workload::WorkerIdentity& identity = *worker.known();
  // Most are alone.
  if (!container.HasEnv(workload::kMegascaleNumSlices) &&
      !workload::IsCoordinated(*worker.row, *worker.metadata)) {
    return;
  }
  const workload::SliceGroup group =
      workload::SliceGroupOf(*worker.row, *worker.metadata, identity);
  if (!WorkTogether(worker, group, container)) return;
  const bool with_port = process.of > 1;
  if (!worker.row->is_ray) {
    variables.Add<workload::kMegascaleNumSlices>(std::to_string(group.slices));
  }
  variables.Add<workload::kMegascaleSliceId>(std::to_string(identity.slice));
  variables.Add<workload::kMegascaleCoordinator>(
      group.coordinator + (with_port ? ":" + std::to_string(kMegascalePort) : ""));
  if (worker.row->is_ray || with_port) {
    variables.Add<workload::kMegascalePort>(std::to_string(kMegascalePort + process.number));
  }
}

// Somebody else tells the container who it is. Pathways sets only the variables of its slices.
bool IsTold(const Container& container) {
  return container.HasEnv(workload::kTpuWorkerId) ||
         container.HasEnv(workload::kTpuWorkerHostNames) ||
         container.HasEnv(workload::kTpuProcessAddresses) ||
         container.HasEnv(workload::kMegascaleSliceId) ||
         container.HasEnv(workload::kMegascaleCoordinator);
}

// How many workers are to be told who they are; 0: the pod is none.
std::int64_t WorkersToTell(const Subject& subject, const workload::IdentityRow& row) {
  if (!subject.is_pod()) return 0;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || slice->pods * subject.pods.chips_per_pod != slice->topology.chips()) return 0;
  return slice->multi_host() || (row.is_ray && slice->pods == 1) ? slice->pods : 0;
}

}  // namespace

bool IsToBeTold(const Subject& subject) {
  const workload::IdentityRow* const row = workload::IdentityRowOf(subject.pods.pod);
  return row != nullptr && WorkersToTell(subject, *row) > 0;
}

std::optional<Worker> WorkerOf(const Subject& subject) {
  const workload::IdentityRow* const row = workload::IdentityRowOf(subject.pods.pod);
  return row == nullptr ? std::nullopt : WorkerOf(subject, *row);
}

std::optional<Worker> WorkerOf(const Subject& subject, const workload::IdentityRow& row) {
  const std::int64_t workers = WorkersToTell(subject, row);
  if (workers == 0) return std::nullopt;
  return Worker{&row, &subject.pods.pod.metadata, workers,
                workload::IdentityOf(row, subject.pods.pod, workers)};
}

Process ProcessOf(const Subject& subject, const Container& container) {
  if (!container.Stays()) return {};
  Process process{.of = 0, .number = 0};
  for (const Container& other : subject.pods.pod.spec.containers) {
    if (!other.Stays() || !workload::UsesTpu(other)) continue;
    if (&other == &container) process.number = process.of;
    ++process.of;
  }
  return process;
}

std::vector<NewVariable> VariablesOf(const Worker& worker, const Process& process,
                                     const Container& container) {
  Variables variables;
  AddWorker(worker, process, variables);
  AddSlices(worker, process, container, variables);
  return std::move(variables).Finish();
}

std::vector<NewVariable> MissingVariables(const Subject& subject, const Worker& worker,
                                          const Container& container) {
  if (worker.known() == nullptr || !workload::UsesTpu(container)) return {};
  if (HasEnvFrom(container)) return {};
  if (ShortCommands commands; ShellMaySetBounds(container, commands)) return {};
  const bool sets_some =
      std::any_of(container.env.begin(), container.env.end(),
                  [](const k8s::Variable& each) { return workload::IsTpuVariable(each.name); });
  if (sets_some && (RunsAlone(container) || (!worker.row->is_ray && IsTold(container)))) return {};
  std::vector<NewVariable> variables =
      VariablesOf(worker, ProcessOf(subject, container), container);
  if (sets_some) {
    std::erase_if(variables, [&](const NewVariable& each) { return container.HasEnv(each.name); });
  }
  return Fits(variables) ? std::move(variables) : std::vector<NewVariable>();
}

void AddHost(const workload::WorkerIdentity& identity, std::vector<Fix>& fixes) {
  if (identity.lacks_hostname) fixes.emplace_back(SetHostname{identity.HostLabel()});
  if (identity.lacks_subdomain) fixes.emplace_back(SetSubdomain{identity.domain.substr(1)});
}

bool Fits(const std::vector<NewVariable>& variables) {
  return std::all_of(variables.begin(), variables.end(), [](const NewVariable& each) {
    return each.name.size() + 1 + each.value.size() <= kLongestVariable;
  });
}

bool RunsAlone(const Container& container) {
  return container.HasEnv(workload::kTpuProcessBounds) ||
         container.HasEnv(workload::kTpuHostBounds) ||
         container.EnvValue(workload::kTpuWorkerHostNames) == "localhost";
}

// Most commands do not even hold the prefix.
static_assert(std::all_of(kOwnBounds.begin(), kOwnBounds.end(), [](std::string_view variable) {
  return variable.starts_with(workload::kTpuPrefix);
}));

bool ShellMaySetBounds(const Container& container, ShortCommands& commands) {
  if (!commands.Take(container)) return true;
  return CommandHolds(container, workload::kTpuPrefix) &&
         std::any_of(kOwnBounds.begin(), kOwnBounds.end(),
                     [&](std::string_view variable) { return CommandHolds(container, variable); });
}

bool MayRunAlone(const k8s::PodSpec& spec) {
  ShortCommands commands;
  return std::any_of(spec.containers.begin(), spec.containers.end(), [&](const auto& container) {
    return RunsAlone(container) || ShellMaySetBounds(container, commands);
  });
}

bool HasEnvFrom(const Container& container) { return container.json["envFrom"].size() > 0; }

}  // namespace tpu_admission::rules
