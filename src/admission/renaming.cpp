#include "admission/renaming.h"

#include <algorithm>

#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::admission {
namespace {

using rules::FaultId;
using workload::PodSet;

bool Has(const PodSet& pods, std::string_view container) {
  const auto& all = pods.pod.spec.containers;
  return std::any_of(all.begin(), all.end(),
                     [&](const k8s::Container& each) { return each.name == container; });
}

FaultId WithoutPart(FaultId fault) {
  fault.part = {};
  return fault;
}

}  // namespace

RenamedFaults::PodSets RenamedFaults::ById(const workload::Workload& workload) {
  PodSets sets;
  for (const PodSet& pods : workload.pod_sets) sets.emplace(pods.id(), &pods);
  return sets;
}

RenamedFaults::OfPodSet RenamedFaults::Of(FaultId fault, const PodSet& pods) {
  fault.pods.name = {};
  const k8s::StringMap& selector = pods.pod.spec.node_selector;
  return {fault, pods.chips_per_pod, pods.scale.pods.value,
          selector.Find(workload::Key(workload::NodeLabel::kAccelerator)),
          selector.Find(workload::Key(workload::NodeLabel::kTopology))};
}

RenamedFaults::RenamedFaults(const std::set<FaultId>& faults, const workload::Workload& before,
                             const workload::Workload& after)
    : before_(ById(before)) {
  const PodSets after_sets = ById(after);
  for (const FaultId& fault : faults) {
    const auto was = before_.find(fault.pods);
    const auto is = after_sets.find(fault.pods);
    if (was == before_.end()) continue;
    if (is == after_sets.end()) {
      of_pod_sets_.insert(Of(fault, *was->second));
    } else if (Has(*was->second, fault.part) && !Has(*is->second, fault.part)) {
      of_containers_.insert(WithoutPart(fault));
    }
  }
}

bool RenamedFaults::Had(const rules::Finding& finding) const {
  if (finding.pods == nullptr) return false;
  const FaultId fault = finding.fault();
  const auto was = before_.find(fault.pods);
  if (was == before_.end()) return of_pod_sets_.contains(Of(fault, *finding.pods));
  return !finding.container.empty() && !Has(*was->second, finding.container) &&
         of_containers_.contains(WithoutPart(fault));
}

}  // namespace tpu_admission::admission
