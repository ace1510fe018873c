// The cluster autoscaler, as far as pods and its status tell of it. Events: FailedScaleUp,
// TriggeredScaleUp and NotTriggerScaleUp of kubernetes/autoscaler; why a scale-up failed, GKE says
// in words of its own ("GCE out of resources", "GCE quota exceeded"), the status in codes of Google
// Cloud's (GCE_STOCKOUT, QUOTA_EXCEEDED).
#include <algorithm>
#include <set>

#include "cluster/causes/candidates.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::cluster {
namespace {

using Words = std::vector<std::string_view>;

// The last such event of pods without a place: what was said of the others is over.
const EventFacts* Last(const Snapshot& s, const std::set<std::string_view>& reasons) {
  std::set<std::string_view> waiting;
  for (const PodFacts& pod : s.pods) {
    if (pod.unschedulable()) waiting.insert(pod.uid);
  }
  return LastEvent(s, [&](const EventFacts& event) {
    return reasons.contains(event.reason) && waiting.contains(event.uid);
  });
}

const EventFacts* Newest(const Snapshot& s) {
  return Last(s, {"TriggeredScaleUp", "FailedScaleUp", "NotTriggerScaleUp"});
}

// The failure that it has not got over: as long as it is in backoff, it says no more than that.
const EventFacts* LastFailure(const Snapshot& s) {
  const EventFacts* event = Newest(s);
  if (event != nullptr && Has(event->message, "in backoff")) {
    event = Last(s, {"TriggeredScaleUp", "FailedScaleUp"});
  }
  return event != nullptr && event->reason == "FailedScaleUp" ? event : nullptr;
}

// Node pools that have what the pods select, or that they select by name.
std::set<std::string> PoolsOf(const Snapshot& s) {
  std::set<std::string> shapes;
  for (const WishFacts& wish : s.wishes) shapes.insert(wish.Shape());
  std::set<std::string> pools;
  for (const NodeFacts& node : s.nodes) {
    if (!node.pool.empty() && shapes.contains(node.Shape())) pools.insert(node.pool);
  }
  for (const PodFacts& pod : s.pods) {
    const std::string pool = LabelOf(pod.selector, workload::kGkeNodePool);
    if (!pool.empty()) pools.insert(pool);
  }
  return pools;
}

// Whether it is of one of these pools, or was to grow for the pods. Its name ends in POOL-HASH-grp.
bool IsOurs(const Snapshot& s, const std::set<std::string>& pools, const ScaleGroupFacts& group) {
  std::string_view name = group.name;
  if (!name.ends_with("-grp")) return false;
  const auto grows = [&](const EventFacts& event) {
    return event.reason == "TriggeredScaleUp" && Has(event.message, group.name);
  };
  if (LastEvent(s, grows) != nullptr) return true;
  name.remove_suffix(std::string_view("-grp").size());
  name = name.substr(0, name.rfind('-'));
  return std::any_of(pools.begin(), pools.end(),
                     [&](const std::string& pool) { return name.ends_with("-" + pool); });
}

// A scale-up for the pods that failed with such words, or with any if there are none.
std::optional<Found> Failed(const Snapshot& s, const Words& words, const std::string& text) {
  const auto says = [&words](const std::string& message) {
    return words.empty() || std::any_of(words.begin(), words.end(),
                                        [&](std::string_view word) { return Has(message, word); });
  };
  const EventFacts* failure = LastFailure(s);
  if (failure != nullptr && says(failure->message)) return Found{text, {Say(*failure)}};
  if (Unplaced(s) == nullptr) return std::nullopt;
  const std::set<std::string> pools = PoolsOf(s);
  for (const ScaleGroupFacts& group : s.groups) {
    if (group.error.empty() && group.message.empty()) continue;
    if ((!says(group.error) && !says(group.message)) || !IsOurs(s, pools, group)) continue;
    Found found{text,
                {"cluster-autoscaler-status: " + group.name + ": scale-up is in " + group.state +
                 ": " + group.error + ": " + group.message}};
    if (const EventFacts* event = Newest(s)) found.evidence.push_back(Say(*event));
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Found> FindScalingUp(const Snapshot& s) {
  const EventFacts* event = Newest(s);
  if (event == nullptr || event->reason != "TriggeredScaleUp") return std::nullopt;
  return Found{"the autoscaler is making nodes for it", {Say(*event)}};
}

std::optional<Found> FindStockout(const Snapshot& s) {
  return Failed(s, {"STOCKOUT", "out of resources", "RESOURCE_POOL_EXHAUSTED"},
                "the autoscaler wanted nodes for it, and the zone has no such TPUs left now");
}

std::optional<Found> FindCloudQuota(const Snapshot& s) {
  return Failed(s, {"quota exceeded", "Quota exceeded", "exceeded quota", "QUOTA_EXCEEDED"},
                "the autoscaler wanted nodes for it, and the project's quota does not allow them");
}

// GKE: "Node scale up in zones z associated with this pod failed: REASON. Pod is at risk of ...".
std::optional<Found> FindScaleUpFailed(const Snapshot& s) {
  auto found = Failed(s, {}, "the autoscaler wanted nodes for it, and could not make them");
  const EventFacts* failure = LastFailure(s);
  if (failure == nullptr) return found;
  constexpr std::string_view kBefore = " failed: ";
  const std::string& message = failure->message;
  const std::size_t begin = message.find(kBefore);
  const std::size_t end = message.find(". Pod is at risk", begin);
  if (begin == message.npos || end == message.npos) return found;
  const std::size_t reason = begin + kBefore.size();
  found->text += ": " + message.substr(reason, end - reason);
  return found;
}

std::optional<Found> FindPoolAtMaximum(const Snapshot& s) {
  const EventFacts* event = Newest(s);
  if (event == nullptr || event->reason != "NotTriggerScaleUp") return std::nullopt;
  for (const std::string_view words : {"max node group size reached", "max cluster", "max limit"}) {
    if (Has(event->message, words)) {
      return Found{
          "the autoscaler may make no more nodes: a node pool, or the cluster, is as large "
          "as it may grow",
          {Say(*event)}};
    }
  }
  return std::nullopt;
}

}  // namespace tpu_admission::cluster
