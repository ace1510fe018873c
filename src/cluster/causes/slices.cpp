// Pods without a place though their nodes exist: these are broken, or their chips are in use.
#include <algorithm>
#include <charconv>
#include <set>

#include "cluster/causes/candidates.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/topology.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::cluster {
namespace {

// Why a node takes no pods, whoever asks; empty: it does, or is cordoned, which is told by itself.
std::string StateOf(const NodeFacts& node, const PodFacts& pod) {
  if (!node.ready) return "is not Ready";
  for (const TaintFacts& taint : node.taints) {
    if (!IsOfNodeState(taint.key) || taint.key == "node.kubernetes.io/unschedulable") continue;
    if (KeepsOff(taint, pod)) return "has the taint " + taint.key;
  }
  const bool lacks_chips = node.chips == 0 && pod.chips > 0;
  return lacks_chips ? "offers no chips: its device plugin does not run, or finds none" : "";
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

// The nodes whose chips its siblings use: those that are being deleted, or the others.
std::set<std::string_view> NodesOfSiblings(const Snapshot& s, bool being_deleted) {
  std::set<std::string_view> nodes;
  for (const PodFacts& pod : s.pods) {
    if (pod.chips == 0 || pod.done() || pod.being_deleted != being_deleted) continue;
    if (!pod.node.empty()) nodes.insert(pod.node);
  }
  return nodes;
}

// How many of them the pod may go to.
std::size_t NodesOfItsOwn(const Snapshot& s, const PodFacts& pod, bool being_deleted) {
  const Nodes nodes = Candidates(s, pod);
  const auto used = NodesOfSiblings(s, being_deleted);
  return std::size_t(std::count_if(nodes.begin(), nodes.end(), [&](const NodeFacts* node) {
    return used.contains(node->name);
  }));
}

}  // namespace

std::optional<Found> FindSliceIncomplete(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr) return std::nullopt;
  struct Pool {
    std::int64_t nodes = 0;
    std::int64_t ready = 0;
    std::int64_t hosts = 0;
    bool own = false;  // its own pods use a part of it
    bool IsWhole() const { return ready >= hosts; }
  };
  std::map<std::string, Pool> pools;
  std::size_t all_ready = 0;
  const auto used = NodesOfSiblings(s, false);
  for (const NodeFacts* node : Candidates(s, *pod)) {
    const auto topology = tpu::Topology::Parse(node->topology);
    Pool& pool = pools[node->pool];
    ++pool.nodes;
    pool.ready += node->ready;
    all_ready += node->ready;
    pool.own = pool.own || used.contains(node->name);
    if (topology && node->chips > 0) {
      pool.hosts = std::max(pool.hosts, topology->chips() / node->chips);
    }
  }
  const bool some_whole = std::any_of(pools.begin(), pools.end(),
                                      [](const auto& pool) { return pool.second.IsWhole(); });
  if (some_whole && NodesWithoutChips(*pod) < all_ready) return std::nullopt;
  std::optional<Found> found;
  for (const auto& [name, pool] : pools) {
    if (pool.hosts < 2) return std::nullopt;
    // Beside whole slices, which are taken, it waits for this one if it has a part of it already.
    if (pool.IsWhole() || (some_whole && !pool.own)) continue;
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

std::optional<Found> FindNodeState(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  if (pod == nullptr) return std::nullopt;
  const Nodes nodes = Candidates(s, *pod);
  const auto used = NodesOfSiblings(s, false);
  std::vector<std::string> states;
  for (const NodeFacts* node : nodes) {
    const std::string state = StateOf(*node, *pod);
    if (state.empty() && !used.contains(node->name)) return std::nullopt;  // it might go there
    if (!state.empty()) states.push_back("node " + node->name + " " + state);
  }
  if (states.empty()) return std::nullopt;
  Found found = Tell(s, *pod,
                     "no pod can start now on " + std::to_string(states.size()) + " of " +
                         Counted(nodes.size(), "node") + " that it may go to");
  found.evidence.insert(found.evidence.end(), states.begin(), states.end());
  return found;
}

// They hold what their successors wait for, or are all that there is of it.
std::optional<Found> FindOldPods(const Snapshot& s) {
  const auto is_old = [](const PodFacts& pod) {
    return pod.being_deleted && !pod.node.empty() && !pod.done();
  };
  const auto old = std::find_if(s.pods.begin(), s.pods.end(), is_old);
  if (old == s.pods.end() || s.object.being_deleted) return std::nullopt;
  Found found{"its old pods have not ended: " + Counted(CountPods(s, is_old), "pod") +
                  " still being deleted",
              {}};
  const auto is_other = [](const PodFacts& pod) {
    return !pod.being_deleted && pod.phase != "Succeeded";
  };
  if (const PodFacts* pod = Unplaced(s)) {
    const std::size_t without = NodesWithoutChips(*pod);
    const std::size_t held = NodesOfItsOwn(s, *pod, true);
    if (held == 0 || without == 0) return std::nullopt;
    if (held + NodesOfItsOwn(s, *pod, false) < without) return std::nullopt;
    found.evidence = Evidence(s, *pod);
  } else if (CountPods(s, is_other) > 0 || FindFailed(s) || FindEvicted(s) || FindNodeLost(s)) {
    return std::nullopt;  // these say why
  }
  found.evidence.push_back(old->Title() + " is being deleted, and still on node " + old->node);
  return found;
}

std::optional<Found> FindChipsInUse(const Snapshot& s) {
  const PodFacts* pod = Unplaced(s);
  const std::size_t without = pod == nullptr ? 0 : NodesWithoutChips(*pod);
  if (without == 0 || AsksForMoreThanANodeHas(s, *pod) || FindOldPods(s)) return std::nullopt;
  const auto shape = ShapeOf(*pod);
  if (shape && NodesOfItsOwn(s, *pod, false) >= without) {
    // What keeps it off the nodes that its own pods leave is told by itself.
    if (FindMachineFull(s) || FindNodeState(s) || FindSliceIncomplete(s)) return std::nullopt;
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
  // Where the chips of all of them are taken, whoever has the chips has the machine.
  const std::size_t nodes = Candidates(s, *pod).size();
  if (nodes > 0 && NodesWithoutChips(*pod) >= nodes) return std::nullopt;
  return Tell(s, *pod, "the nodes that it may go to have not enough " + lacking + " left");
}

}  // namespace tpu_admission::cluster
