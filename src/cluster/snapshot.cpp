#include "tpu_admission/cluster/snapshot.h"

#include <algorithm>

#include "tpu_admission/base/text.h"
#include "tpu_admission/k8s/pod.h"

namespace tpu_admission::cluster {
namespace {

const ConditionFacts* Find(const std::vector<ConditionFacts>& conditions, const std::string& type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const ConditionFacts& c) { return c.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

}  // namespace

std::string LabelOf(const Labels& labels, std::string_view key) {
  const auto found = labels.find(std::string(key));
  return found == labels.end() ? std::string() : found->second;
}

std::string ObjectFacts::Title() const { return kind + " " + Quoted(name, 253); }

const ConditionFacts* PodFacts::Condition(const std::string& type) const {
  return Find(conditions, type);
}

bool PodFacts::runs() const {
  return phase == "Running" && !being_deleted &&
         std::all_of(containers.begin(), containers.end(), [](const ContainerFacts& c) {
           const bool fine = c.waiting.empty() && c.exit_code.value_or(0) == 0;
           return c.init || c.running || fine;
         });
}

bool PodFacts::unschedulable() const {
  const ConditionFacts* scheduled = Condition("PodScheduled");
  return node.empty() && !done() && scheduled != nullptr && scheduled->status == "False" &&
         (scheduled->reason == "Unschedulable" || scheduled->reason == "SchedulerError");
}

bool PodFacts::Tolerates(const TaintFacts& taint) const {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const TaintFacts& t) {
    return k8s::Toleration{t.key, t.op, t.value, t.effect}.Tolerates(taint.key, taint.value,
                                                                     taint.effect);
  });
}

const ConditionFacts* QueueFacts::Condition(const std::string& type) const {
  return Find(conditions, type);
}

std::int64_t Snapshot::wanted_pods() const {
  std::int64_t pods_wanted = 0;
  for (const WishFacts& wish : wishes) pods_wanted += wish.pods;
  return pods_wanted;
}

std::vector<const PodFacts*> Snapshot::workers() const {
  std::vector<const PodFacts*> workers;
  const bool counted = wanted_pods() > 0;
  for (const PodFacts& pod : pods) {
    if (!counted || pod.chips > 0) workers.push_back(&pod);
  }
  return workers;
}

std::size_t Snapshot::running_workers() const {
  const auto all = workers();
  return std::size_t(
      std::count_if(all.begin(), all.end(), [](const PodFacts* pod) { return pod->runs(); }));
}

std::int64_t Snapshot::ended_workers() const {
  std::int64_t spare = 0;
  for (const WishFacts& wish : wishes) spare = std::max(spare, wish.spare);
  std::map<std::string_view, std::int64_t> by_owner;
  for (const PodFacts* pod : workers()) {
    if (pod->phase == "Succeeded") ++by_owner[pod->owner_uid];
  }
  std::int64_t ended = 0;
  for (const auto& [owner, pods_ended] : by_owner) {
    ended += std::max<std::int64_t>(pods_ended - spare, 0);
  }
  return ended;
}

std::vector<const PodFacts*> Snapshot::living() const {
  std::vector<const PodFacts*> living;
  for (const PodFacts& pod : pods) {
    if (!pod.done()) living.push_back(&pod);
  }
  if (!living.empty()) return living;
  for (const PodFacts& pod : pods) living.push_back(&pod);
  return living;
}

}  // namespace tpu_admission::cluster
