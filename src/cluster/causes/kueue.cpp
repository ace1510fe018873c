// The words are those of Kueue: pkg/scheduler/flavorassigner, pkg/cache/scheduler/
// tas_flavor_snapshot.go, pkg/controller/core/workload_controller.go (v0.15.2).
#include <algorithm>

#include "cluster/causes/causes.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::cluster {
namespace {

// What Kueue says while it has not reserved quota.
const ConditionFacts* Waiting(const Snapshot& s) {
  if (!s.workload) return nullptr;
  const ConditionFacts* reserved = s.workload->Condition("QuotaReserved");
  return reserved != nullptr && !reserved->is_true() ? reserved : nullptr;
}

std::string SayWorkload(const Snapshot& s, const ConditionFacts& condition) {
  ObjectFacts workload;
  workload.kind = "Workload";
  workload.name = s.workload->name;
  return Say(workload, condition);
}

std::optional<Found> WaitingFor(const Snapshot& s, std::string_view words, std::string text) {
  const ConditionFacts* waiting = Waiting(s);
  if (waiting == nullptr || !Has(waiting->message, words)) return std::nullopt;
  return Found{std::move(text), {SayWorkload(s, *waiting)}};
}

// The digits that follow the words; empty if there are none.
std::string DigitsAfter(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == text.npos) return "";
  text.remove_prefix(at + words.size());
  return std::string(text.substr(0, text.find_first_not_of("0123456789")));
}

std::vector<std::string> Quotas(const Snapshot& s) {
  std::vector<std::string> quotas;
  for (const FlavorFacts& flavor : s.flavors) {
    quotas.push_back("flavor " + flavor.flavor + " of ClusterQueue " + flavor.cluster_queue +
                     " has " + std::to_string(flavor.used) + " of " + std::to_string(flavor.quota) +
                     " chips in use");
  }
  return quotas;
}

Found WithQuotas(const Snapshot& s, Found found) {
  const auto quotas = Quotas(s);
  found.evidence.insert(found.evidence.end(), quotas.begin(), quotas.end());
  return found;
}

}  // namespace

std::optional<Found> FindQueueMissing(const Snapshot& s) {
  const std::string queue = s.workload ? s.workload->queue : s.queue;
  auto found = WaitingFor(s, "doesn't exist",
                          "waits for Kueue: the queue " + Quoted(queue, 253) +
                              " of this namespace, or the ClusterQueue behind it, does not exist");
  return found;
}

std::optional<Found> FindQueueInactive(const Snapshot& s) {
  return WaitingFor(s, "inactive",
                    "waits for Kueue: its queue is inactive, or the ClusterQueue behind it");
}

std::optional<Found> FindDeactivated(const Snapshot& s) {
  if (!s.workload || s.workload->active) return std::nullopt;
  Found found{"Kueue has deactivated it, and will not start it again by itself",
              {"Workload " + Quoted(s.workload->name, 253) + ": spec.active is false"}};
  if (const ConditionFacts* evicted = s.workload->Condition("Evicted")) {
    found.evidence.push_back(SayWorkload(s, *evicted));
  }
  return found;
}

std::optional<Found> FindNeverFits(const Snapshot& s) {
  // Of several flavors one would do, once others have left it.
  if (WaitingFor(s, "insufficient unused quota", "")) return std::nullopt;
  if (auto found = WaitingFor(s, "does not contain the requested level",
                              "waits for Kueue in vain: the topology behind its queue has no such "
                              "level as its pods want")) {
    return found;
  }
  for (const std::string_view words : {"maximum capacity", "unavailable in ClusterQueue",
                                       "doesn't match node affinity", "untolerated taint"}) {
    if (auto found = WaitingFor(s, words,
                                "waits for Kueue in vain: its ClusterQueue can never give it "
                                "what it asks for")) {
      return WithQuotas(s, *std::move(found));
    }
  }
  return std::nullopt;
}

// Kueue counts the nodes that it may not use: "Total nodes: 4; excluded: taint "KEY=VALUE:EFFECT":
// 4".
std::optional<Found> FindKueueTaint(const Snapshot& s) {
  const ConditionFacts* waiting = Waiting(s);
  if (waiting == nullptr) return std::nullopt;
  const std::string total = DigitsAfter(waiting->message, "Total nodes: ");
  const std::size_t begin = waiting->message.find("taint \"");
  const std::size_t end = waiting->message.find("\": ", begin);
  if (total.empty() || end == std::string::npos) return std::nullopt;
  const std::string taint = waiting->message.substr(begin + 7, end - begin - 7);
  if (DigitsAfter(waiting->message.substr(end), "\": ") != total) return std::nullopt;
  if (IsOfNodeState(taint)) return std::nullopt;  // that no toleration mends
  return Found{"waits for Kueue in vain: its template does not tolerate the taint " + taint +
                   ", which all nodes of the queue's topology have",
               {SayWorkload(s, *waiting)}};
}

std::optional<Found> FindTopologyTooSmall(const Snapshot& s) {
  const std::string text =
      "waits for Kueue: no part of the cluster's topology has room for all its pods";
  auto found = WaitingFor(s, "allows to fit only", text);
  return found ? found : WaitingFor(s, "doesn't allow to fit any", text);
}

std::optional<Found> FindQuota(const Snapshot& s) {
  auto found = WaitingFor(s, "insufficient", "waits for Kueue: there is not enough unused quota");
  const std::string resource(workload::kTpuResource);
  // Where something else is short, the figures of chips say nothing.
  if (!found || !Has(Waiting(s)->message, resource)) return found;
  for (const FlavorFacts& flavor : s.flavors) {
    if (!Has(Waiting(s)->message, resource + " in flavor " + flavor.flavor + ",")) continue;
    found->text = "waits for Kueue: flavor " + flavor.flavor + " has " +
                  std::to_string(flavor.used) + " of " + std::to_string(flavor.quota) +
                  " chips in use";
  }
  return WithQuotas(s, *std::move(found));
}

std::optional<Found> FindAdmissionCheck(const Snapshot& s) {
  if (!s.workload) return std::nullopt;
  const ConditionFacts* admitted = s.workload->Condition("Admitted");
  if (admitted != nullptr && admitted->is_true()) return std::nullopt;
  for (const QueueFacts::Check& check : s.workload->checks) {
    if (check.state == "Ready") continue;
    return Found{
        "waits for Kueue: its admission check " + Quoted(check.name, 253) + " is " + check.state,
        {"Workload " + Quoted(s.workload->name, 253) + ": check " + check.name + ": " +
         check.state + ": " + check.message}};
  }
  return std::nullopt;
}

std::optional<Found> FindEvictedByKueue(const Snapshot& s) {
  if (!s.workload || Waiting(s) == nullptr) return std::nullopt;
  const ConditionFacts* evicted = s.workload->Condition("Evicted");
  if (evicted == nullptr || !evicted->is_true()) return std::nullopt;
  Found found{"Kueue has evicted it (" + evicted->reason + ") and has it queued again",
              {SayWorkload(s, *evicted)}};
  if (evicted->reason == "PodsReadyTimeout") {
    found.change =
        "see why its pods were not ready in time, or raise waitForPodsReady.timeout of Kueue";
  }
  return found;
}

std::optional<Found> FindQueueWaits(const Snapshot& s) {
  if (!s.workload || !s.suspended) return std::nullopt;
  const ConditionFacts* reserved = s.workload->Condition("QuotaReserved");
  if (reserved != nullptr && reserved->is_true()) return std::nullopt;
  Found found{"waits in the queue " + Quoted(s.workload->queue, 253) + " of Kueue", {}};
  if (reserved != nullptr) found.evidence.push_back(SayWorkload(s, *reserved));
  if (reserved == nullptr) {
    found.evidence.push_back("Workload " + Quoted(s.workload->name, 253) +
                             " has no condition yet: Kueue has not looked at it");
  }
  return found;
}

std::optional<Found> FindNotQueued(const Snapshot& s) {
  if (s.queue.empty() || s.workload || !s.suspended) return std::nullopt;
  if (!s.workloads_known || s.left_out > 0) return std::nullopt;
  return Found{"it is suspended for Kueue, and Kueue does not know it",
               {"label " + std::string(workload::kKueueQueue) + " is " + s.queue,
                "no Workload of this object among those of its namespace"}};
}

}  // namespace tpu_admission::cluster
