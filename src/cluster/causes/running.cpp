// Pods that run, of a workload that does not.
#include <algorithm>
#include <set>

#include "cluster/causes/causes.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::cluster {
namespace {

// The hosts of the one slice that all its pods fill; 0: there are several, or it is not known.
std::int64_t HostsOfOneSlice(const Snapshot& s) {
  if (s.wishes.size() != 1 || s.wishes.front().slices != 1) return 0;
  const WishFacts& wish = s.wishes.front();
  return wish.hosts > 1 && wish.pods == wish.hosts ? wish.hosts : 0;
}

}  // namespace

std::optional<Found> FindWorkerNames(const Snapshot& s) {
  const std::int64_t hosts = HostsOfOneSlice(s);
  const auto pod = std::find_if(s.pods.begin(), s.pods.end(), [&](const PodFacts& p) {
    return p.runs() && p.hosts > 0 && p.hosts != hosts;
  });
  if (hosts == 0 || pod == s.pods.end()) return std::nullopt;
  const std::string variable(workload::kTpuWorkerHostNames);
  return Found{
      "its pods run and wait for each other: " + variable + " names " +
          Counted(std::size_t(pod->hosts), "host") + ", and the slice has " + std::to_string(hosts),
      {pod->Title() + ": " + variable + " names " + Counted(std::size_t(pod->hosts), "host")}};
}

std::optional<Found> FindSliceSplit(const Snapshot& s) {
  if (HostsOfOneSlice(s) == 0) return std::nullopt;
  const auto nodes = NodesByName(s);
  std::map<std::string, std::size_t> pods_by_pool;
  for (const PodFacts& pod : s.pods) {
    if (pod.chips == 0 || pod.node.empty() || pod.done()) continue;
    const auto node = nodes.find(pod.node);
    if (node != nodes.end()) ++pods_by_pool[node->second->pool];
  }
  if (pods_by_pool.size() < 2) return std::nullopt;
  Found found{"its pods lie in " + std::to_string(pods_by_pool.size()) +
                  " node pools, and a slice is one: they cannot reach each other's chips",
              {}};
  for (const auto& [pool, pods] : pods_by_pool) {
    found.evidence.push_back(Counted(pods, "pod") + " in pool " + pool);
  }
  return found;
}

std::optional<Found> FindGangIncomplete(const Snapshot& s) {
  const std::int64_t wanted = s.wanted_pods() - s.ended_workers();
  const std::size_t running = s.running_workers();
  // Else each of its pods has a slice of its own.
  const bool together = std::any_of(s.wishes.begin(), s.wishes.end(), [](const WishFacts& wish) {
    return wish.gang && wish.hosts > 1;
  });
  if (running == 0 || wanted <= std::int64_t(running) || !together) return std::nullopt;
  Found found{std::to_string(running) + " of " + std::to_string(wanted) +
                  " pods run and hold their chips until the others are there",
              {}};
  const auto workers = s.workers();
  const auto there = std::count_if(workers.begin(), workers.end(),
                                   [](const PodFacts* pod) { return !pod->done(); });
  if (there < wanted) {
    found.evidence.push_back(Counted(std::size_t(wanted - there), "pod") + " not made yet");
  }
  for (const PodFacts* pod : workers) {
    constexpr std::size_t kMostTold = 5;
    if (pod->runs() || pod->phase == "Succeeded" || found.evidence.size() == kMostTold) continue;
    found.evidence.push_back(pod->Title() + ": " + pod->phase);
  }
  return found;
}

std::optional<Found> FindNotReady(const Snapshot& s) {
  for (const PodFacts& pod : s.pods) {
    const ConditionFacts* ready = pod.Condition("Ready");
    if (!pod.runs() || ready == nullptr || ready->is_true()) continue;
    return Found{pod.Title() + " runs and is not ready", {Say(pod, *ready)}};
  }
  return std::nullopt;
}

}  // namespace tpu_admission::cluster
