// The cluster autoscaler, as far as pods and its status tell of it. Events: FailedScaleUp,
// TriggeredScaleUp and NotTriggerScaleUp of kubernetes/autoscaler; its error codes are Google
// Cloud's (GCE_STOCKOUT, QUOTA_EXCEEDED).
#include <algorithm>
#include <set>

#include "cluster/causes/causes.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::cluster {
namespace {

bool IsOfAutoscaler(const EventFacts& event) {
  return event.reason == "TriggeredScaleUp" || event.reason == "FailedScaleUp" ||
         event.reason == "NotTriggerScaleUp";
}

const EventFacts* Newest(const Snapshot& s) {
  return Unplaced(s) == nullptr ? nullptr : LastEvent(s, IsOfAutoscaler);
}

// Node pools that have what the pods select.
std::set<std::string> PoolsOf(const Snapshot& s) {
  std::set<std::string> shapes;
  for (const WishFacts& wish : s.wishes) shapes.insert(wish.Shape());
  std::set<std::string> pools;
  for (const NodeFacts& node : s.nodes) {
    if (!node.pool.empty() && shapes.contains(node.Shape())) pools.insert(node.pool);
  }
  return pools;
}

// Their names stand inside those of groups.
bool IsOf(const std::set<std::string>& pools, const ScaleGroupFacts& group) {
  return std::any_of(pools.begin(), pools.end(),
                     [&](const std::string& pool) { return Has(group.name, "-" + pool + "-"); });
}

// A group in backoff with such an error, that the pods wait for.
std::optional<Found> Failed(const Snapshot& s, const std::vector<std::string_view>& words,
                            const std::string& text) {
  const EventFacts* event = Newest(s);
  const auto says = [&words](const std::string& message) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return Has(message, word); });
  };
  if (event != nullptr && event->reason == "FailedScaleUp" && says(event->message)) {
    return Found{text, {Say(*event)}};
  }
  if (Unplaced(s) == nullptr) return std::nullopt;
  const std::set<std::string> pools = PoolsOf(s);
  const bool backs_off = event != nullptr && Has(event->message, "in backoff");
  for (const ScaleGroupFacts& group : s.groups) {
    if (!says(group.error) && !says(group.message)) continue;
    if (!backs_off && !IsOf(pools, group)) continue;
    Found found{text,
                {"cluster-autoscaler-status: " + group.name + ": scale-up is in " + group.state +
                 ": " + group.error + ": " + group.message}};
    if (event != nullptr) found.evidence.push_back(Say(*event));
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
  return Failed(s, {"QUOTA_EXCEEDED", "exceeded quota", "Quota exceeded"},
                "the autoscaler wanted nodes for it, and the project's quota does not allow them");
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
