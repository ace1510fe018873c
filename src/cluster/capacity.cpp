#include "tpu_admission/cluster/capacity.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/topology.h"

namespace tpu_admission::cluster {
namespace {

struct Pool {
  std::string title;       // `pool a (tpu-v6e-slice 4x4)`
  std::int64_t hosts = 1;  // of its slice; 1: each node is one
  std::int64_t nodes = 0;
  std::int64_t usable = 0;
  std::int64_t in_use = 0;  // nodes with pods that hold chips
  std::int64_t chips = 0;
  std::int64_t idle = 0;  // of usable nodes

  bool is_slice() const { return hosts > 1 && nodes <= hosts; }
};

// Where a pod is, by its node.
struct Place {
  std::string pool;
  std::int64_t chips = 0;  // of the node
};

std::int64_t HostsOf(const std::string& topology, std::int64_t chips_of_host) {
  const auto shape = tpu::Topology::Parse(topology);
  if (!shape || chips_of_host <= 0) return 1;
  return std::max<std::int64_t>(1, shape->chips() / chips_of_host);
}

class Search {
 public:
  Search(const std::vector<TpuNode>& nodes, const std::vector<TpuPod>& pods, std::int64_t now,
         std::chrono::seconds patience)
      : pods_(pods), now_(now), patience_(patience.count()) {
    for (const TpuPod& pod : pods) {
      if (!pod.node.empty() && !pod.done()) held_[pod.node] += pod.chips;
    }
    for (const TpuNode& node : nodes) Add(node);
  }

  Capacity Run() {
    for (const auto& [name, pool] : pools_) Look(name, pool);
    LookForSplits();
    LookForGangs();
    for (const TpuPod& pod : pods_) {
      if (!pod.refusal.empty()) {
        Tell(Waste::kRefused, pod.title,
             pod.title + ": node " + Quoted(pod.node, 253) + " refused it: " + pod.refusal,
             pod.chips);
      }
    }
    return std::move(capacity_);
  }

 private:
  void Add(const TpuNode& node) {
    const std::string shape = node.accelerator + " " + node.topology;
    const std::string name = node.pool.empty() ? "without a name, " + shape : node.pool;
    Pool& pool = pools_[name];
    pool.title = "pool " + name + (node.pool.empty() ? "" : " (" + shape + ")");
    ++pool.nodes;
    // Nodes without a pool belong to nobody knows how many slices.
    if (!node.pool.empty()) pool.hosts = std::max(pool.hosts, HostsOf(node.topology, node.chips));
    pool.chips += node.chips;
    capacity_.chips += node.chips;
    const auto held = held_.find(node.name);
    if (held != held_.end()) ++pool.in_use;
    places_[node.name] = {name, node.chips};
    if (!node.usable) return;
    ++pool.usable;
    const std::int64_t in_use = held == held_.end() ? 0 : held->second;
    pool.idle += std::max<std::int64_t>(0, node.chips - in_use);
  }

  // What cannot be used is told once, by its reason.
  void Look(const std::string& name, const Pool& pool) {
    if (pool.is_slice() && pool.usable < pool.hosts) {
      return Tell(Waste::kStranded, name,
                  pool.title + ": " + std::to_string(pool.usable) + " of " +
                      Counted(pool.hosts, "host") + " can be used, and a slice starts with all: " +
                      Counted(pool.idle, "chip") + " lie idle",
                  pool.idle);
    }
    if (pool.is_slice() && pool.in_use > 0 && pool.in_use < pool.hosts) {
      return Tell(
          Waste::kHalfUsed, name,
          pool.title + ": " + std::to_string(pool.in_use) + " of " + Counted(pool.hosts, "host") +
              " have TPU pods, and a slice is for one workload: " + Counted(pool.idle, "chip") +
              " lie idle",
          pool.idle);
    }
    if (pool.idle == 0) return;
    Tell(Waste::kIdle, name,
         pool.title + ": " + std::to_string(pool.idle) + " of " + Counted(pool.chips, "chip") +
             " lie idle",
         pool.idle);
  }

  struct Part {
    std::set<std::string> pools;
    std::int64_t pods = 0;
    std::int64_t done = 0;
    std::int64_t chips = 0;
    std::int64_t hosts = 1;
    bool waits = false;
    std::string gang;
  };

  void LookForSplits() {
    std::map<std::string, Part> slices;
    for (const TpuPod& pod : pods_) {
      const auto place = places_.find(pod.node);
      if (pod.slice.empty() || pod.phase == "Failed") continue;
      Part& part = slices[pod.slice];
      part.done += pod.done() ? 1 : 0;
      part.waits = part.waits || pod.phase == "Pending";
      if (pod.done() || place == places_.end()) continue;
      const Pool& pool = pools_.at(place->second.pool);
      part.pools.insert(place->second.pool);
      ++part.pods;
      part.chips += pod.chips;
      part.gang = pod.gang;
      part.hosts = std::max(part.hosts, pool.is_slice() ? pool.hosts : std::int64_t(1));
    }
    for (const auto& [key, part] : slices) {
      // A Job may fill several slices on purpose. Some of its pods may have ended already; and
      // while one has not started yet, more of them may be about to come.
      const std::int64_t whole = (part.pods + part.done + part.hosts - 1) / part.hosts;
      const bool may_fill_them = part.waits || std::int64_t(part.pools.size()) <= whole;
      if (part.hosts == 1 || may_fill_them) continue;
      Tell(Waste::kSplit, part.gang,
           part.gang + ": " + Counted(part.pods, "pod") + " of one slice of " +
               Counted(part.hosts, "host") + " lie in " +
               Counted(std::int64_t(part.pools.size()), "pool") +
               ", and cannot reach each other's chips",
           part.chips);
    }
  }

  struct Gang {
    std::int64_t held = 0;  // chips
    std::int64_t running = 0;
    std::int64_t pending = 0;
    std::int64_t since = 0;  // the last of: it held chips, and somebody waited
    std::int64_t first_held = 0;
    std::int64_t first_pending = 0;
    bool multi_host = false;
  };

  static void Earliest(std::int64_t& time, std::int64_t other) {
    if (other != 0 && (time == 0 || other < time)) time = other;
  }

  void LookForGangs() {
    std::map<std::string, Gang> gangs;
    for (const TpuPod& pod : pods_) {
      if (pod.gang.empty() || pod.done()) continue;
      Gang& gang = gangs[pod.gang];
      if (pod.phase == "Pending") {
        ++gang.pending;
        Earliest(gang.first_pending, pod.created);
      } else if (!pod.node.empty()) {
        ++gang.running;
        gang.held += pod.chips;
        // Several pods may share a host, so that the chips of one say little of it.
        const auto place = places_.find(pod.node);
        const std::int64_t host = place == places_.end() ? 0 : place->second.chips;
        gang.multi_host |= HostsOf(pod.topology, std::max(host, pod.chips)) > 1;
        Earliest(gang.first_held, pod.scheduled);
      }
    }
    for (const auto& [title, gang] : gangs) {
      if (!gang.multi_host || gang.held == 0 || gang.pending == 0) continue;
      const std::int64_t since = std::max(gang.first_held, gang.first_pending);
      if (since == 0 || now_ - since <= patience_) continue;
      Tell(Waste::kWaiting, title,
           title + ": " + Counted(gang.running, "pod") +
               (gang.running == 1 ? " holds " : " hold ") + Counted(gang.held, "chip") + ", and " +
               Counted(gang.pending, "pod") + (gang.pending == 1 ? " is" : " are") +
               " Pending since " + UtcText(WallOf(since)),
           gang.held, since);
    }
  }

  void Tell(Waste waste, const std::string& subject, std::string text, std::int64_t chips,
            std::int64_t since = 0) {
    capacity_.found.push_back({waste, subject, std::move(text), chips, since});
  }

  const std::vector<TpuPod>& pods_;
  const std::int64_t now_;
  const std::int64_t patience_;
  std::map<std::string, std::int64_t> held_;  // chips by node
  std::map<std::string, Place> places_;       // by node
  std::map<std::string, Pool> pools_;
  Capacity capacity_;
};

}  // namespace

std::string Word(Waste waste) {
  switch (waste) {
    case Waste::kIdle:
      return "idle-chips";
    case Waste::kHalfUsed:
      return "half-used-slice";
    case Waste::kStranded:
      return "stranded-slice";
    case Waste::kSplit:
      return "split-slice";
    case Waste::kWaiting:
      return "waiting-gang";
    case Waste::kRefused:
      return "refused-pod";
  }
  return "";
}

std::int64_t Capacity::Chips(Waste waste) const {
  std::int64_t sum = 0;
  for (const WasteFound& each : found) sum += each.waste == waste ? each.chips : 0;
  return sum;
}

std::size_t Capacity::Count(Waste waste) const {
  return std::size_t(std::count_if(found.begin(), found.end(),
                                   [&](const WasteFound& each) { return each.waste == waste; }));
}

Capacity FindWaste(const std::vector<TpuNode>& nodes, const std::vector<TpuPod>& pods,
                   const std::map<std::string, std::int64_t>& before, std::int64_t now,
                   std::chrono::seconds patience) {
  Capacity capacity = Search(nodes, pods, now, patience).Run();
  for (WasteFound& found : capacity.found) {
    const auto seen = before.find(found.Key());
    if (found.since == 0) found.since = seen == before.end() ? now : seen->second;
  }
  std::stable_sort(capacity.found.begin(), capacity.found.end(),
                   [](const WasteFound& a, const WasteFound& b) {
                     return std::tie(a.waste, b.chips) < std::tie(b.waste, a.chips);
                   });
  return capacity;
}

}  // namespace tpu_admission::cluster
