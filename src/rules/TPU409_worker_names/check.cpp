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
       .summary = fmt::format("no subdomain: the workers of {} wait for each other for ever",
                              slice->topology.Text()),
       .problem = fmt::format("has no subdomain. The workers on the {} of {} look for each other "
                              "by name before the first step; GKE tells them their numbers and "
                              "names only where an Indexed Job has a subdomain, so without one "
                              "the program waits for ever.",
                              hosts, slice->topology.Text()),
       .change = "set subdomain to the name of a headless Service (clusterIP: None, "
                 "publishNotReadyAddresses: true) that selects the pods of the Job"});
}

}  // namespace

const Rule kTPU409 = {
    .id = "TPU409",
    .name = "worker-names",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = Check,
};

}  // namespace tpu_admission::rules
