#include "cluster/causes/causes.h"

#include <algorithm>

#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::cluster {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::string Say(const ObjectFacts& object, const ConditionFacts& condition) {
  return object.Title() + ": " + condition.type + "=" + condition.status + " (" + condition.reason +
         "): " + condition.message;
}

std::string Say(const EventFacts& event) {
  return event.kind + " " + Quoted(event.name, 253) + ": " + event.reason + ": " + event.message;
}

const EventFacts* LastEvent(const Snapshot& snapshot,
                            const std::function<bool(const EventFacts&)>& fits) {
  const auto found = std::find_if(snapshot.events.rbegin(), snapshot.events.rend(), fits);
  return found == snapshot.events.rend() ? nullptr : &*found;
}

const PodFacts* Unplaced(const Snapshot& snapshot) {
  const PodFacts* unplaced = nullptr;
  for (const PodFacts& pod : snapshot.pods) {
    if (!pod.unschedulable()) continue;
    if (pod.chips > 0) return &pod;
    if (unplaced == nullptr) unplaced = &pod;
  }
  return unplaced;
}

std::map<std::string_view, const NodeFacts*> NodesByName(const Snapshot& snapshot) {
  std::map<std::string_view, const NodeFacts*> nodes;
  for (const NodeFacts& node : snapshot.nodes) nodes.emplace(node.name, &node);
  return nodes;
}

std::size_t CountPods(const Snapshot& snapshot, const std::function<bool(const PodFacts&)>& fits) {
  return std::size_t(std::count_if(snapshot.pods.begin(), snapshot.pods.end(), fits));
}

bool IsOfNodeState(std::string_view key) {
  static constexpr std::string_view kKeys[] = {
      "node.kubernetes.io/", "node.cloudprovider.kubernetes.io/",
      workload::kGkeImpendingTermination, "ToBeDeletedByClusterAutoscaler",
      "DeletionCandidateOfClusterAutoscaler"};
  return std::any_of(std::begin(kKeys), std::end(kKeys),
                     [&](std::string_view begin) { return key.starts_with(begin); });
}

}  // namespace tpu_admission::cluster
