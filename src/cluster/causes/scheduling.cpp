// Pods without a place: what the scheduler says (k8s.io/kubernetes
// pkg/scheduler/framework/plugins), held against the nodes, since it does not say which node it
// speaks of.
#include <algorithm>
#include <charconv>

#include "cluster/causes/causes.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/seen_shapes.h"
#include "tpu_admission/tpu/topology.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::cluster {
namespace {

std::string Selected(const PodFacts& pod, std::string_view key) {
  const auto found = pod.selector.find(std::string(key));
  return found == pod.selector.end() ? std::string() : found->second;
}

struct Shape {
  std::string accelerator;
  std::string topology;
  std::string Text() const { return accelerator + " " + topology; }
};

std::optional<Shape> ShapeOf(const PodFacts& pod) {
  Shape shape{Selected(pod, workload::kGkeTpuAccelerator),
              Selected(pod, workload::kGkeTpuTopology)};
  if (shape.accelerator.empty() || shape.topology.empty()) return std::nullopt;
  return shape;
}

using Nodes = std::vector<const NodeFacts*>;

Nodes NodesOf(const Snapshot& s, const Shape& shape) {
  Nodes nodes;
  for (const NodeFacts& node : s.nodes) {
    if (node.accelerator == shape.accelerator && node.topology == shape.topology) {
      nodes.push_back(&node);
    }
  }
  return nodes;
}

bool Carries(const NodeFacts& node, const std::string& key, const std::string& value) {
  const auto found = node.labels.find(key);
  return found != node.labels.end() && found->second == value;
}

bool Matches(const NodeFacts& node, const PodFacts& pod) {
  return std::all_of(pod.selector.begin(), pod.selector.end(),
                     [&](const auto& label) { return Carries(node, label.first, label.second); });
}

// The nodes that the pod may go to by all its selectors.
Nodes Candidates(const Snapshot& s, const PodFacts& pod) {
  const auto shape = ShapeOf(pod);
  if (!shape) return {};
  Nodes nodes = NodesOf(s, *shape);
  std::erase_if(nodes, [&](const NodeFacts* node) { return !Matches(*node, pod); });
  return nodes;
}

const std::string& Verdict(const PodFacts& pod) { return pod.Condition("PodScheduled")->message; }

// What of its pods waits alike.
std::vector<std::string> Evidence(const Snapshot& s, const PodFacts& pod) {
  std::vector<std::string> evidence = {Say(pod, *pod.Condition("PodScheduled"))};
  const std::size_t waiting =
      CountPods(s, [](const PodFacts& other) { return other.unschedulable(); });
  const std::size_t placed =
      CountPods(s, [](const PodFacts& other) { return !other.node.empty() && !other.done(); });
  evidence.push_back(Counted(waiting, "pod") + " without a place, " + std::to_string(placed) +
                     " with one");
  return evidence;
}

Found Tell(const Snapshot& s, const PodFacts& pod, std::string text) {
  return {std::move(text), Evidence(s, pod)};
}

std::string InventoryText(const Snapshot& s) {
  constexpr std::size_t kMostTold = 5;
  tpu::SeenShapes seen;
  for (const NodeFacts& node : s.nodes) {
    seen.Count(node.accelerator, node.topology, node.chips, node.pool);
  }
  if (seen.shapes.empty()) return "; it has no TPU nodes at all";
  return "; it has " + tpu::Listed(seen.shapes, kMostTold);
}

bool IsOfNodeState(const TaintFacts& taint) { return taint.key.starts_with("node.kubernetes.io/"); }

// The first taint of the candidates that keeps the pod off, by whether it is the taint of TPUs.
const TaintFacts* Untolerated(const Snapshot& s, const PodFacts& pod, bool of_tpus) {
  for (const NodeFacts* node : Candidates(s, pod)) {
    for (const TaintFacts& taint : node->taints) {
      const bool is_of_tpus = taint.key == workload::kTpuResource;
      if (is_of_tpus != of_tpus || taint.effect == "PreferNoSchedule") continue;
      if (!IsOfNodeState(taint) && !pod.Tolerates(taint)) return &taint;
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

// How many nodes lack chips, by the scheduler: "3 Insufficient google.com/tpu".
std::size_t NodesWithoutChips(const PodFacts& pod) {
  const std::string_view verdict = Verdict(pod);
  const std::size_t end = verdict.find(" Insufficient " + std::string(workload::kTpuResource));
  if (end == verdict.npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && IsDigit(verdict[begin - 1])) --begin;
  std::size_t count = 0;
  std::from_chars(verdict.data() + begin, verdict.data() + end, count);
  return count;
}

// Nobody's chips are in its way then: it would fit on no node that it may go to.
bool AsksForMoreThanANodeHas(const Snapshot& s, const PodFacts& pod) {
  const Nodes nodes = Candidates(s, pod);
  return !nodes.empty() && std::all_of(nodes.begin(), nodes.end(), [&](const NodeFacts* node) {
    return node->chips < pod.chips;
  });
}

// How many of the nodes that it may go to have its siblings on their chips.
std::size_t NodesOfItsOwn(const Snapshot& s, const PodFacts& pod) {
  const Nodes nodes = Candidates(s, pod);
  return std::size_t(std::count_if(nodes.begin(), nodes.end(), [&](const NodeFacts* node) {
    return CountPods(s, [&](const PodFacts& other) {
             return other.node == node->name && other.chips > 0 && !other.done();
           }) > 0;
  }));
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
  if (pod == nullptr || !s.nodes_known || pod->chips == 0) return std::nullopt;
  const auto shape = ShapeOf(*pod);
  if (!shape || !NodesOf(s, *shape).empty()) return std::nullopt;
  Found found =
      Tell(s, *pod, "no node of this cluster has " + shape->Text() + " now" + InventoryText(s));
  const EventFacts* autoscaler =
      LastEvent(s, [](const EventFacts& event) { return event.reason == "NotTriggerScaleUp"; });
  if (autoscaler != nullptr) found.evidence.push_back(Say(*autoscaler));
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

std::optional<Found> FindSliceIncomplete(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr) return std::nullopt;
  struct Pool {
    std::int64_t nodes = 0;
    std::int64_t ready = 0;
    std::int64_t hosts = 0;
  };
  std::map<std::string, Pool> pools;
  for (const NodeFacts* node : Candidates(s, *pod)) {
    const auto topology = tpu::Topology::Parse(node->topology);
    Pool& pool = pools[node->pool];
    ++pool.nodes;
    if (node->ready) ++pool.ready;
    if (topology && node->chips > 0) {
      pool.hosts = std::max(pool.hosts, topology->chips() / node->chips);
    }
  }
  std::optional<Found> found;
  for (const auto& [name, pool] : pools) {
    if (pool.hosts < 2 || pool.ready >= pool.hosts) return std::nullopt;  // a whole slice is there
    const std::string hosts = std::to_string(pool.hosts);
    const std::string ready =
        std::to_string(pool.ready) + " of " + hosts + " hosts of pool " + name + " are Ready";
    if (!found) {
      found = Tell(s, *pod,
                   ready + ": a slice of " + ShapeOf(*pod)->topology + " starts with all of them");
    }
    found->evidence.push_back(ready + ", of " + Counted(std::size_t(pool.nodes), "node"));
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
                  "PersistentVolume", "available volume zone", "max volume count"},
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

std::optional<Found> FindChipsInUse(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  const std::size_t without = pod == nullptr ? 0 : NodesWithoutChips(*pod);
  if (without == 0 || AsksForMoreThanANodeHas(s, *pod)) return std::nullopt;
  const auto shape = ShapeOf(*pod);
  if (shape && NodesOfItsOwn(s, *pod) >= without) {
    if (FindMachineFull(s)) return std::nullopt;  // the other nodes are
    Found found = Tell(s, *pod, "its own pods use the chips of the nodes with " + shape->Text());
    found.change = "make another node pool of this shape, or ask for fewer pods";
    return found;
  }
  Found found = Tell(s, *pod,
                     shape ? "the chips of the nodes with " + shape->Text() + " are in use"
                           : "no node has the chips that it asks for free");
  for (const std::string& holder : s.holders) found.evidence.push_back("in use by " + holder);
  return found;
}

std::optional<Found> FindMachineFull(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr) return std::nullopt;
  std::string lacking;
  for (const std::string_view resource : {"cpu", "memory", "ephemeral-storage"}) {
    if (!Has(Verdict(*pod), "Insufficient " + std::string(resource))) continue;
    lacking += (lacking.empty() ? "" : " and ") + std::string(resource);
  }
  if (Has(Verdict(*pod), "Too many pods"))
    lacking += (lacking.empty() ? "" : " and ") + std::string("room for pods");
  if (lacking.empty()) return std::nullopt;
  return Tell(s, *pod, "the nodes that it may go to have not enough " + lacking + " left");
}

std::optional<Found> FindUnschedulable(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr) return std::nullopt;
  return Tell(s, *pod, "the scheduler finds no node for " + pod->Title());
}

}  // namespace tpu_admission::cluster
