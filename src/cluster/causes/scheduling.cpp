// Pods without a place: what the scheduler says (k8s.io/kubernetes
// pkg/scheduler/framework/plugins), held against the nodes, since it does not say which node it
// speaks of.
#include <algorithm>

#include "cluster/causes/candidates.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/seen_shapes.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::cluster {
namespace {

std::string InventoryText(const Snapshot& s) {
  constexpr std::size_t kMostTold = 5;
  tpu::SeenShapes seen;
  for (const NodeFacts& node : s.nodes) {
    seen.Count(node.accelerator, node.topology, node.chips, node.pool);
  }
  if (seen.shapes.empty()) return "; it has no TPU nodes at all";
  return "; it has " + tpu::Listed(seen.shapes, kMostTold);
}

// The first taint that keeps the pod off all candidates, or that the scheduler names, by whether it
// is the taint of TPUs.
const TaintFacts* Untolerated(const Snapshot& s, const PodFacts& pod, bool of_tpus) {
  const Nodes nodes = Candidates(s, pod);
  const auto all_have = [&nodes](const std::string& key) {
    return std::all_of(nodes.begin(), nodes.end(), [&](const NodeFacts* node) {
      return std::any_of(node->taints.begin(), node->taints.end(),
                         [&](const TaintFacts& taint) { return taint.key == key; });
    });
  };
  for (const NodeFacts* node : nodes) {
    for (const TaintFacts& taint : node->taints) {
      if ((taint.key == workload::kTpuResource) != of_tpus || IsOfNodeState(taint.key)) continue;
      if (!KeepsOff(taint, pod)) continue;
      if (Has(Verdict(pod), "{" + taint.key + ":")) return &taint;
      if (node == nodes.front() && all_have(taint.key)) return &taint;
    }
  }
  return nullptr;
}

bool HasReason(const PodFacts& pod, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return Has(Verdict(pod), word); });
}

std::optional<Found> ByWords(const Snapshot& s, const std::vector<std::string>& words,
                             const std::string& text) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr || !HasReason(*pod, words)) return std::nullopt;
  return Tell(s, *pod, text);
}

}  // namespace

std::optional<Found> FindGated(const Snapshot& s) {
  const auto held = std::find_if(s.pods.begin(), s.pods.end(),
                                 [](const PodFacts& pod) { return !pod.gates.empty(); });
  if (held == s.pods.end()) return std::nullopt;
  const std::size_t count = CountPods(s, [](const PodFacts& pod) { return !pod.gates.empty(); });
  Found found{"the scheduling gate " + Quoted(held->gates.front(), 253) + " holds " +
                  Counted(count, "pod") + " of it",
              {}};
  for (const std::string& gate : held->gates) {
    found.evidence.push_back(held->Title() + ": spec.schedulingGates has " + gate);
  }
  return found;
}

std::optional<Found> FindNoScheduler(const Snapshot& s) {
  const auto is_unseen = [](const PodFacts& pod) {
    return pod.node.empty() && !pod.done() && pod.gates.empty() &&
           pod.Condition("PodScheduled") == nullptr;
  };
  const auto unseen = std::find_if(s.pods.begin(), s.pods.end(), is_unseen);
  if (unseen == s.pods.end() || Unplaced(s) != nullptr) return std::nullopt;
  return Found{"the scheduler " + Quoted(unseen->scheduler, 253) +
                   " does not run, or has not seen its pods yet",
               {unseen->Title() + ": spec.schedulerName is " + unseen->scheduler +
                ", and there is no condition PodScheduled"}};
}

std::optional<Found> FindNoNodePool(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr || pod->chips == 0 || !(s.nodes_known || s.other_nodes)) return std::nullopt;
  const auto shape = ShapeOf(*pod);
  if (!shape || !NodesOf(s, *shape).empty()) return std::nullopt;
  Found found =
      Tell(s, *pod, "no node of this cluster has " + shape->Text() + " now" + InventoryText(s));
  const EventFacts* autoscaler =
      LastEvent(s, [](const EventFacts& event) { return event.reason == "NotTriggerScaleUp"; });
  if (autoscaler != nullptr) found.evidence.push_back(Say(*autoscaler));
  if (!s.compute_class.empty()) {
    found.change = "see why the compute class " + Quoted(s.compute_class, 253) +
                   " makes none (kubectl describe computeclass), or select a shape that is there";
  }
  return found;
}

std::optional<Found> FindSelectorUnmet(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  const auto shape = pod == nullptr ? std::nullopt : ShapeOf(*pod);
  if (!shape || !Candidates(s, *pod).empty()) return std::nullopt;
  const Nodes nodes = NodesOf(s, *shape);
  for (const auto& label : pod->selector) {
    const std::string& key = label.first;
    const std::string& value = label.second;
    const bool met = std::any_of(nodes.begin(), nodes.end(),
                                 [&](const NodeFacts* node) { return Carries(*node, key, value); });
    if (met || nodes.empty()) continue;
    const auto other = nodes.front()->labels.find(key);
    return Tell(
        s, *pod,
        "none of the " + Counted(nodes.size(), "node") + " with " + shape->Text() + " has " + key +
            ": " + Quoted(value, 253) +
            (other == nodes.front()->labels.end() ? ""
                                                  : "; there is " + Quoted(other->second, 253)));
  }
  if (nodes.empty()) return std::nullopt;
  return Tell(s, *pod,
              "no node with " + shape->Text() + " has all the labels that its pods select");
}

std::optional<Found> FindCordoned(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr) return std::nullopt;
  const Nodes nodes = Candidates(s, *pod);
  const auto cordoned = std::count_if(nodes.begin(), nodes.end(),
                                      [](const NodeFacts* node) { return node->cordoned; });
  if (cordoned == 0 || !HasReason(*pod, {"were unschedulable"})) return std::nullopt;
  Found found = Tell(s, *pod,
                     std::to_string(cordoned) + " of " + Counted(nodes.size(), "node") +
                         " that it may go to are cordoned");
  for (const NodeFacts* node : nodes) {
    if (node->cordoned) found.evidence.push_back("node " + node->name + " is unschedulable");
  }
  return found;
}

std::optional<Found> FindTolerationMissing(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  const TaintFacts* taint = pod == nullptr ? nullptr : Untolerated(s, *pod, true);
  if (taint == nullptr) return std::nullopt;
  return Tell(s, *pod,
              "its pods do not tolerate the taint of TPU nodes, " + taint->key + "=" +
                  taint->value + ":" + taint->effect);
}

std::optional<Found> FindTaint(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  const TaintFacts* taint = pod == nullptr ? nullptr : Untolerated(s, *pod, false);
  if (taint == nullptr) return std::nullopt;
  return Tell(s, *pod,
              "its pods do not tolerate the taint " + taint->key + "=" + taint->value + ":" +
                  taint->effect + " of the nodes that they select");
}

std::optional<Found> FindVolume(const Snapshot& s) {
  return ByWords(s,
                 {"persistentvolumeclaim", "PersistentVolumeClaim", "persistent volume",
                  "PersistentVolume", "available volume zone", "max volume count",
                  "volume node affinity", "non-existent pv", "enough free storage"},
                 "a volume that its pods mount is not there, or not where the nodes are");
}

std::optional<Found> FindDeviceClaim(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr || !pod->has_claims) return std::nullopt;
  if (!HasReason(*pod, {"resourceclaim", "ResourceClaim", "allocate all claims"})) {
    return std::nullopt;
  }
  return Tell(s, *pod, "no node can give the devices that its resource claims ask for");
}

std::optional<Found> FindPodAffinity(const Snapshot& s) {
  return ByWords(s, {"pod affinity rules", "anti-affinity rules", "topology spread constraints"},
                 "rules about other pods keep it off: each node pool that it may go to is taken "
                 "by another workload, or its own pods must lie elsewhere");
}

std::optional<Found> FindUnschedulable(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr) return std::nullopt;
  return Tell(s, *pod, "the scheduler finds no node for " + pod->Title());
}

}  // namespace tpu_admission::cluster
