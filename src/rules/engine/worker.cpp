#include "rules/engine/worker.h"

#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace {

using k8s::Container;

constexpr std::int64_t kMegascalePort = 8081;

// The processes of a pod: a container each; an init container runs by itself.
struct Process {
  std::int64_t of = 1;
  std::int64_t number = 0;
};

Process ProcessOf(const Subject& subject, const Container& container) {
  Process process{.of = 0, .number = 0};
  if (!container.Stays()) return {};
  for (const Container& other : subject.pods.pod.spec.containers) {
    if (!other.Stays() || !workload::UsesTpu(other)) continue;
    if (&other == &container) process.number = process.of;
    ++process.of;
  }
  return process;
}

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

// What is to be added to one container.
class Variables {
 public:
  explicit Variables(const Container& container) : container_(container) {}

  void Add(std::string_view name, std::string value, bool is_field = false) {
    if (container_.HasEnv(name)) return;
    fits_ = fits_ && name.size() + 1 + value.size() <= kLongestVariable;
    added_.push_back({name, std::move(value), is_field});
  }
  std::vector<NewVariable> Finish() && {
    return fits_ ? std::move(added_) : std::vector<NewVariable>();
  }

 private:
  const Container& container_;
  std::vector<NewVariable> added_;
  bool fits_ = true;
};

void AddWorker(const Worker& worker, const Process& process, Variables& variables) {
  const workload::WorkerIdentity& identity = *worker.known();
  variables.Add(workload::kTpuWorkerId, std::to_string(identity.id * process.of + process.number));
  if (identity.workers > 1) variables.Add(workload::kTpuWorkerHostNames, identity.HostNames());
  if (identity.workers > 1 && process.of > 1) {
    const std::int64_t port = worker.row->process_port;
    variables.Add(workload::kTpuProcessAddresses, Addresses(identity, process.of, port));
    variables.Add(workload::kTpuProcessPort, std::to_string(port + process.number));
  }
  variables.Add(workload::kTpuName, identity.name);
  if (!worker.row->is_ray) return;
  variables.Add(workload::kTpuDevicePluginHostIp, "status.hostIP", true);
  variables.Add(workload::kTpuDevicePluginAddress, "$(TPU_DEVICE_PLUGIN_HOST_IP):2112");
}

// Ray changes its number of slices, so there the user says it.
bool HasSeveralSlices(const Worker& worker, const Container& container) {
  const workload::WorkerIdentity& identity = *worker.known();
  const bool said = container.HasEnv(workload::kMegascaleNumSlices);
  if (!worker.row->is_ray) return identity.slices > 1 && !said;
  const std::string_view slices = container.EnvValue(workload::kMegascaleNumSlices).value_or("?");
  return said && !slices.empty() && slices != "1";
}

void AddSlices(const Worker& worker, const Process& process, const Container& container,
               Variables& variables) {
  const workload::WorkerIdentity& identity = *worker.known();
  if (identity.coordinator.empty() || !HasSeveralSlices(worker, container)) return;
  const bool with_port = process.of > 1;
  if (!worker.row->is_ray) {
    variables.Add(workload::kMegascaleNumSlices, std::to_string(identity.slices));
  }
  variables.Add(workload::kMegascaleSliceId, std::to_string(identity.slice));
  variables.Add(workload::kMegascaleCoordinator,
                identity.coordinator + (with_port ? ":" + std::to_string(kMegascalePort) : ""));
  if (worker.row->is_ray || with_port) {
    variables.Add(workload::kMegascalePort, std::to_string(kMegascalePort + process.number));
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

}  // namespace

std::optional<Worker> WorkerOf(const Subject& subject) {
  if (!subject.is_pod()) return std::nullopt;
  const workload::IdentityRow* row = workload::IdentityRowOf(subject.pods.pod);
  if (row == nullptr) return std::nullopt;
  if (row->gke_serves && subject.cluster.platform != Platform::kSelfManaged) return std::nullopt;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || slice->pods * subject.pods.chips_per_pod != slice->topology.chips()) {
    return std::nullopt;
  }
  if (!slice->multi_host() && (!row->is_ray || slice->pods != 1)) return std::nullopt;
  return Worker{row, slice->pods, workload::IdentityOf(*row, subject.pods.pod, slice->pods)};
}

std::vector<NewVariable> MissingVariables(const Subject& subject, const Worker& worker,
                                          const Container& container) {
  if (worker.known() == nullptr || !workload::UsesTpu(container)) return {};
  if (RunsAlone(container) || HasEnvFrom(subject, container)) return {};
  if (!worker.row->is_ray && IsTold(container)) return {};
  const Process process = ProcessOf(subject, container);
  Variables variables(container);
  AddWorker(worker, process, variables);
  AddSlices(worker, process, container, variables);
  return std::move(variables).Finish();
}

bool RunsAlone(const Container& container) {
  return container.HasEnv(workload::kTpuProcessBounds) ||
         container.HasEnv(workload::kTpuHostBounds) ||
         container.EnvValue(workload::kTpuWorkerHostNames) == "localhost";
}

bool HasEnvFrom(const Subject& subject, const Container& container) {
  const k8s::JsonView list = subject.pods.pod.spec.json[container.list];
  return list.Element(container.index)["envFrom"].size() > 0;
}

}  // namespace tpu_admission::rules
