#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace {

// The names of the workers are given in another way, or are not needed.
bool HasOwnNames(const k8s::PodSpec& spec) {
  for (const k8s::Container& container : spec.containers) {
    if (container.HasEnv(workload::kTpuWorkerHostNames) ||
        container.HasEnv(workload::kTpuProcessBounds) ||
        container.HasEnv(workload::kTpuHostBounds) ||
        container.HasEnv(workload::kTpuProcessAddresses)) {
      return true;
    }
  }
  return false;
}

void Check(const Subject& subject, Report& report) {
  const workload::PodSet& pods = subject.pods;
  // A JobSet makes the Service itself.
  const bool plain = pods.scale.counting == workload::Counting::kJob && !pods.row->always_indexed;
  if (!plain || !pods.pod.spec.Text("subdomain").empty()) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || !slice->multi_host() || HasOwnNames(pods.pod.spec)) return;
  if (pods.scale.pods.value.value_or(0) == 0) return;
  const std::string hosts = Count(slice->hosts, "host");
  report.Add(
      {.pointer = std::string(pods.spec_pointer),
       .summary = fmt::format("no subdomain: the workers of {} cannot find each other by name",
                              slice->topology.Text()),
       .problem = fmt::format("has no subdomain, so its pods have no names in DNS, but the workers "
                              "on the {} of {} find each other by name before the first step.",
                              hosts, slice->topology.Text()),
       .change = "set subdomain to the name of a headless Service that has "
                 "publishNotReadyAddresses: true and selects the pods of the Job"});
}

}  // namespace

const Rule kTPU409 = {
    .id = "TPU409",
    .name = "worker-names",
    .mode = Mode::kAudit,
    .judges_counts = true,
    .check = Check,
};

}  // namespace tpu_admission::rules
