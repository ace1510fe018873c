// Objects -> facts. Each function takes a whole object of its kind; what is missing or of another
// type is empty.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/base/day.h"
#include "tpu_admission/cluster/snapshot.h"
#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::cluster {

inline constexpr std::size_t kMostText = 1024;  // of a message, in bytes
inline constexpr std::size_t kMostParts = 64;   // conditions and containers of one object
// Of one object, in the order of their names: what is left out looks as if it were not there.
inline constexpr std::size_t kMostLabels = 4096;

ObjectFacts ReadObject(k8s::JsonView object);
std::vector<ConditionFacts> ReadConditions(k8s::JsonView object);
PodFacts ReadPod(k8s::JsonView object);
EventFacts ReadEvent(k8s::JsonView object);
NodeFacts ReadNode(k8s::JsonView object);
QueueFacts ReadQueueWorkload(k8s::JsonView object);
// Of a ClusterQueue: its quotas of google.com/tpu and what of them is in use.
std::vector<FlavorFacts> ReadFlavors(k8s::JsonView object);
// Of the ConfigMap cluster-autoscaler-status, in the YAML that it has from Kubernetes 1.30 on.
std::vector<ScaleGroupFacts> ReadScaleGroups(k8s::JsonView object);

// What the object asks for, what the judge says of it, and how far its controller has come.
void ReadTarget(const admission::Settings& settings, Day today, k8s::JsonView object,
                k8s::Arena& arena, Snapshot& snapshot);

}  // namespace tpu_admission::cluster
