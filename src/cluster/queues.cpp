#include "cluster/queues.h"

#include <algorithm>

#include "cluster/facts.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::cluster {

using k8s::JsonView;

void Queues::TakeWorkload(JsonView object) {
  if (workloads_.size() >= most_) return void(++left_out_);
  workloads_.emplace(ReadObject(object).owner_uid, ReadQueueWorkload(object));
}

void Queues::TakeLocalQueue(JsonView object) {
  if (cluster_queues_.size() >= most_) return void(++left_out_);
  const ObjectFacts queue = ReadObject(object);
  cluster_queues_[queue.namespace_name + "/" + queue.name] =
      Printable(object["spec"]["clusterQueue"].StringOr(""), 253);
}

void Queues::TakeClusterQueue(JsonView object) {
  for (FlavorFacts& flavor : ReadFlavors(object)) {
    flavors_.size() < most_ ? flavors_.push_back(std::move(flavor)) : void(++left_out_);
  }
}

const QueueFacts* Queues::WorkloadOf(const std::string& uid) const {
  const auto found = workloads_.find(uid);
  return found == workloads_.end() ? nullptr : &found->second;
}

void Queues::Put(const std::vector<std::string>& makers, Snapshot& snapshot) const {
  std::vector<std::string> uids;
  for (const ObjectFacts& own : snapshot.owners) uids.push_back(own.uid);
  uids.insert(uids.end(), makers.begin(), makers.end());
  // Kueue's plain pods have a Workload each, or one for a group of them.
  for (const PodFacts& pod : snapshot.pods) {
    if (!pod.gates.empty()) uids.push_back(pod.uid);
  }
  for (const std::string& uid : uids) {
    const QueueFacts* workload = WorkloadOf(uid);
    if (workload != nullptr && !snapshot.workload) snapshot.workload = *workload;
  }
  const std::string& queue = snapshot.workload ? snapshot.workload->queue : snapshot.queue;
  const auto cluster_queue = cluster_queues_.find(snapshot.object.namespace_name + "/" + queue);
  if (cluster_queue == cluster_queues_.end()) return;
  std::copy_if(
      flavors_.begin(), flavors_.end(), std::back_inserter(snapshot.flavors),
      [&](const FlavorFacts& flavor) { return flavor.cluster_queue == cluster_queue->second; });
}

}  // namespace tpu_admission::cluster
