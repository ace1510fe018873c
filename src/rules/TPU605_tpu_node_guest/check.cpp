#include <fmt/core.h>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace tpu605 {

// Pods of the platform are meant to be on every node.
bool IsOfThePlatform(const Subject& subject) {
  const workload::Workload& workload = subject.workload;
  return workload.kind->name == "DaemonSet" || workload.metadata.controller_kind == "DaemonSet" ||
         workload.metadata.namespace_name == "kube-system" ||
         subject.pods.pod.spec.Text("priorityClassName").starts_with("system-");
}

void CheckContainer(const Subject& subject, const k8s::Container& container, Report& report) {
  const bool limits_cpu = container.limits.Has("cpu");
  const bool unlimited_memory = !container.limits.Has("memory");
  if (!limits_cpu && !unlimited_memory) return;
  const std::string found = unlimited_memory && limits_cpu ? "a CPU limit and no memory limit"
                            : limits_cpu                   ? "a CPU limit"
                                                           : "no memory limit";
  report.Add(container,
             {.pointer = subject.At(container, "/resources/limits"),
              .summary = fmt::format("{} may run on TPU nodes and has {}", Title(container), found),
              .problem = fmt::format("uses no TPU, but tolerates the taint of TPU nodes, and has "
                                     "{}: beside a training job it should have a memory limit "
                                     "and no CPU limit.",
                                     found),
              .change = fmt::format("{}{}{}, or leave the toleration of google.com/tpu out",
                                    unlimited_memory ? "set a memory limit" : "",
                                    unlimited_memory && limits_cpu ? " and " : "",
                                    limits_cpu ? "leave the CPU limit out" : ""),
              .decision = "how much memory the container needs"});
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (spec.has_pod_level_resources || IsOfThePlatform(subject)) return;
  for (const k8s::Container& container : spec.containers) {
    if (container.Stays()) CheckContainer(subject, container, report);
  }
}

}  // namespace tpu605

const Rule kTPU605 = {
    .id = "TPU605",
    .name = "tpu-node-guest",
    .mode = Mode::kAudit,
    .check = tpu605::Check,
    .audience = workload::TpuUses(workload::TpuUse::kTolerates),
};

}  // namespace tpu_admission::rules
