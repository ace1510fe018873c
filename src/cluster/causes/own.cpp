#include <algorithm>

#include "cluster/causes/causes.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::cluster {
namespace {

const ConditionFacts* Condition(const Snapshot& snapshot, std::string_view type) {
  const auto found =
      std::find_if(snapshot.conditions.begin(), snapshot.conditions.end(),
                   [&](const ConditionFacts& c) { return c.type == type && c.is_true(); });
  return found == snapshot.conditions.end() ? nullptr : &*found;
}

Found Tell(const std::vector<const FaultFacts*>& faults) {
  Found found{
      faults.front()->summary + " (" + faults.front()->rule + ")", {}, faults.front()->change};
  for (const FaultFacts* fault : faults) {
    found.evidence.push_back(fault->rule + ": " + fault->problem);
  }
  return found;
}

std::vector<const FaultFacts*> Faults(const Snapshot& snapshot, rules::Mode least) {
  std::vector<const FaultFacts*> faults;
  for (const FaultFacts& fault : snapshot.faults) {
    if (fault.mode >= least) faults.push_back(&fault);
  }
  return faults;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// As pods, RayJobs and Argo write it.
bool HasFailed(const Snapshot& s) {
  return IsOneOf(s.outcome, {"Failed", "FAILED", "STOPPED", "Error"});
}

bool HasPlace(const PodFacts& pod) { return !pod.node.empty(); }

}  // namespace

std::optional<Found> FindDeleting(const Snapshot& s) {
  if (!s.object.being_deleted) return std::nullopt;
  Found found{s.object.Title() + " is being deleted", {}};
  for (const std::string& finalizer : s.object.finalizers) {
    found.evidence.push_back("finalizer " + finalizer + " is still there");
  }
  const std::size_t left = CountPods(s, [](const PodFacts& pod) { return !pod.done(); });
  if (left > 0) found.evidence.push_back(Counted(left, "pod") + " of it have not ended");
  return found;
}

std::optional<Found> FindFinished(const Snapshot& s) {
  if (HasFailed(s)) return std::nullopt;  // Argo calls that Completed too
  for (const std::string_view type : {"Complete", "Completed", "SuccessCriteriaMet", "Succeeded"}) {
    if (const ConditionFacts* done = Condition(s, type)) {
      return Found{s.object.Title() + " has finished", {Say(s.object, *done)}};
    }
  }
  if (!IsOneOf(s.outcome, {"Succeeded", "SUCCEEDED", "Completed"})) return std::nullopt;
  return Found{s.object.Title() + " has finished", {s.object.Title() + ": " + s.outcome}};
}

std::optional<Found> FindIdle(const Snapshot& s) {
  if (!s.idle || s.suspended || FindOwnFault(s)) return std::nullopt;
  if (CountPods(s, [](const PodFacts& pod) { return !pod.done(); }) > 0) return std::nullopt;
  return Found{"its schedule has nothing to run now",
               {s.object.Title() + " names no run in status.active"}};
}

// What denies, as long as no pod has shown that it finds a node all the same.
std::optional<Found> FindOwnFault(const Snapshot& s) {
  const auto faults = Faults(s, rules::Mode::kDeny);
  if (faults.empty() || CountPods(s, HasPlace) > 0) return std::nullopt;
  return Tell(faults);
}

std::optional<Found> FindManagedElsewhere(const Snapshot& s) {
  if (s.managed_by.empty() || !s.pods.empty()) return std::nullopt;
  // MultiKueue sends nothing away before the queue at home has quota for it.
  if (s.managed_by.starts_with(workload::kKueueApi) && s.workload) {
    const ConditionFacts* reserved = s.workload->Condition("QuotaReserved");
    if (reserved == nullptr || !reserved->is_true()) return std::nullopt;
  }
  return Found{"another controller, " + s.managed_by + ", runs it, perhaps in another cluster",
               {"spec.managedBy is " + s.managed_by}};
}

std::optional<Found> FindPaused(const Snapshot& s) {
  if (!s.paused || !s.living().empty()) return std::nullopt;
  return Found{"it asks for no pods: a count of it is 0",
               {s.object.Title() + ": parallelism, replicas or numOfHosts is 0"}};
}

std::optional<Found> FindSuspended(const Snapshot& s) {
  if (!s.suspended || !s.queue.empty() || s.workload) return std::nullopt;
  const std::string field(s.suspended_by);
  if (const std::string& owner = s.object.owner_name; !owner.empty()) {
    const std::string title = s.object.owner_kind + " " + Quoted(owner, 253);
    return Found{"it is suspended, and " + title + ", which made it, says when it starts",
                 {field + " is true"},
                 "ask why of " + title + ": alone it would go round the queue or the order"};
  }
  return Found{"it is suspended, and no queue will start it",
               {field + " is true"},
               "set " + field + " to false"};
}

std::optional<Found> FindFailed(const Snapshot& s) {
  const ConditionFacts* failed = Condition(s, "Failed");
  if (failed == nullptr) failed = Condition(s, "FailureTarget");
  if (failed != nullptr) {
    return Found{s.object.Title() + " has failed: " + failed->reason, {Say(s.object, *failed)}};
  }
  if (!HasFailed(s)) return std::nullopt;
  Found found{s.object.Title() + " has failed", {s.object.Title() + ": " + s.outcome}};
  if (s.object.kind == "Pod" && !s.pods.empty()) {
    const PodFacts& pod = s.pods.front();
    found.evidence = {pod.Title() + ": " + pod.reason + ": " + pod.message};
  }
  return found;
}

std::optional<Found> FindOwnDoubt(const Snapshot& s) {
  const auto faults = Faults(s, rules::Mode::kWarn);
  if (faults.empty() || FindOwnFault(s)) return std::nullopt;
  return Tell(faults);
}

}  // namespace tpu_admission::cluster
