// What Kueue has of a workload: its Workload, and the quotas behind its queue.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tpu_admission/cluster/snapshot.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::cluster {

class Queues {
 public:
  explicit Queues(std::size_t most) : most_(most) {}

  void TakeWorkload(k8s::JsonView object);
  void TakeLocalQueue(k8s::JsonView object);
  void TakeClusterQueue(k8s::JsonView object);
  bool has_workloads() const { return !workloads_.empty(); }
  std::size_t left_out() const { return left_out_; }
  // Of the object, of what belongs to it, or of what it belongs to: its `makers` (uids).
  void Put(const std::vector<std::string>& makers, Snapshot& snapshot) const;

 private:
  const QueueFacts* WorkloadOf(const std::string& uid) const;

  const std::size_t most_;  // of each
  std::size_t left_out_ = 0;
  std::map<std::string, QueueFacts> workloads_;        // by the uid of their owner
  std::map<std::string, std::string> cluster_queues_;  // by namespace/name of the LocalQueue
  std::vector<FlavorFacts> flavors_;
};

}  // namespace tpu_admission::cluster
