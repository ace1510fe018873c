#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace tpu409 {

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

// The pods run on several hosts. Where another rule finds fault with the topology, so that nobody
// can say which slice they make, several pods for more chips than one of them has are taken for
// one.
bool OnSeveralHosts(const Subject& subject, const std::optional<Slice>& slice) {
  if (slice) return slice->multi_host();
  const Shape& shape = subject.shape;
  const bool wrong = shape.choice[workload::NodeLabel::kTopology].fixed()
                         ? shape.placements.empty()
                         : subject.Misses(workload::NodeLabel::kTopology);
  const bool more = !shape.topology || shape.topology->chips() > subject.pods.chips_per_pod;
  return wrong && more && subject.pods.scale.pods.value.value_or(0) > 1;
}

// A Job needs a subdomain. A JobSet makes the Service itself, unless it is told not to; a
// StatefulSet names the one that is to know its pods. What a kind of the policy does is not known.
bool IsNameless(const workload::PodSet& pods) {
  if (pods.row->of_policy) return false;
  switch (pods.scale.counting) {
    case workload::Counting::kJob:
      return (!pods.row->always_indexed || pods.scale.nameless) &&
             pods.pod.spec.Text("subdomain").empty();
    case workload::Counting::kReplicas:
      return pods.scale.nameless && !MayRunAlone(pods.pod.spec);
    default:
      return false;
  }
}

constexpr std::string_view kHeadless =
    "headless Service (clusterIP: None, publishNotReadyAddresses: true) that selects";

Finding OfStatefulSet(const std::string& slice, const std::string& hosts) {
  return {
      .pointer = "/spec/serviceName",
      .summary = fmt::format("no serviceName: the workers of {} wait for each other", slice),
      .problem = fmt::format(
          "is not set. The workers on the {} of {} look for each other by name before the first "
          "step; DNS knows the pods of a StatefulSet only where serviceName names a headless "
          "Service, so without one the program waits for ever.",
          hosts, slice),
      .change =
          fmt::format("set serviceName to the name of a {} the pods of the StatefulSet", kHeadless),
      .decision = "which headless Service is to name the workers"};
}

// `indexing`: what is to be said of the completionMode too.
Finding OfJob(const workload::PodSet& pods, const std::string& slice, const std::string& hosts,
              std::string_view indexing) {
  Finding finding{
      .pointer = std::string(pods.spec_pointer),
      .summary = fmt::format("no subdomain: the workers of {} wait for each other", slice),
      .problem = fmt::format(
          "has no subdomain. The workers on the {} of {} look for each other by name before the "
          "first step; GKE tells them their numbers and names only where an Indexed Job has a "
          "subdomain, so without one the program waits for ever.",
          hosts, slice)};
  if (pods.scale.nameless) {
    finding.edits = {{"/spec/network/enableDNSHostnames", std::nullopt}};
    finding.change = ", and JobSet makes the Service and sets the subdomain";
  } else {
    finding.change =
        fmt::format("set {}subdomain to the name of a {} the pods of the Job", indexing, kHeadless);
    finding.decision = "which headless Service is to name the workers";
  }
  return finding;
}

void Check(const Subject& subject, Report& report) {
  const workload::PodSet& pods = subject.pods;
  if (!IsNameless(pods)) return;
  if (pods.scale.pods.value.value_or(0) == 0 || HasOwnNames(pods.pod.spec)) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!OnSeveralHosts(subject, slice)) return;
  const std::string name = slice ? slice->topology.Text() : "the slice";
  const std::string hosts = slice ? Counted(slice->hosts, "host") : "hosts";
  if (pods.scale.counting == workload::Counting::kReplicas) {
    return report.Add(OfStatefulSet(name, hosts));
  }
  // Where the slice is known, another rule says so.
  const bool is_said = slice || pods.scale.may_be_indexed || subject.is_of_several_hosts_anywhere();
  report.Add(OfJob(pods, name, hosts, is_said ? "" : "completionMode to Indexed, and "));
}

}  // namespace tpu409

const Rule kTPU409 = {
    .id = "TPU409",
    .name = "worker-names",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu409::Check,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
