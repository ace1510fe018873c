// What the rows of the table of causes look for, by the stage in a workload's life, and what they
// share. Each function finds its cause in a snapshot, or nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/cluster/why.h"

namespace tpu_admission::cluster {

bool Has(std::string_view text, std::string_view part);
// `Pod "train-0": PodScheduled=False (Unschedulable): 0/4 nodes ...`
std::string Say(const ObjectFacts& object, const ConditionFacts& condition);
std::string Say(const EventFacts& event);
// The newest that fits; nullptr: none.
const EventFacts* LastEvent(const Snapshot& snapshot,
                            const std::function<bool(const EventFacts&)>& fits);
// Of the first pod without a place (one that asks for chips before others): the pod and what the
// scheduler says of it; nullptr: every pod has a place, or nobody has looked for one yet.
const PodFacts* Unplaced(const Snapshot& snapshot);
std::map<std::string_view, const NodeFacts*> NodesByName(const Snapshot& snapshot);
std::size_t CountPods(const Snapshot& snapshot, const std::function<bool(const PodFacts&)>& fits);

// Whether a taint of this key says how a node fares, not whom it is for.
bool IsOfNodeState(std::string_view key);

using Finder = std::optional<Found>(const Snapshot&);

// own.cpp: the object itself
Finder FindDeleting, FindFinished, FindIdle, FindOwnFault, FindManagedElsewhere, FindPaused,
    FindSuspended, FindFailed, FindOwnDoubt;
// kueue.cpp
Finder FindQueueMissing, FindQueueInactive, FindDeactivated, FindNeverFits, FindKueueTaint,
    FindTopologyTooSmall, FindQuota, FindAdmissionCheck, FindEvictedByKueue, FindQueueWaits,
    FindNotQueued;
// creation.cpp: its pods are not made
Finder FindWebhookRefusal, FindResourceQuota, FindPodSecurity, FindServiceAccount, FindPodsRefused,
    FindNoController;
// scheduling.cpp: its pods have no place
Finder FindGated, FindNoScheduler, FindNoNodePool, FindSelectorUnmet, FindCordoned,
    FindTolerationMissing, FindTaint, FindVolume, FindDeviceClaim, FindPodAffinity,
    FindUnschedulable;
// slices.cpp: nor have the nodes that exist one for them
Finder FindSliceIncomplete, FindNodeState, FindOldPods, FindChipsInUse, FindMachineFull;
// autoscaler.cpp
Finder FindScalingUp, FindStockout, FindCloudQuota, FindScaleUpFailed, FindPoolAtMaximum;
// node.cpp: its pods have a place and do not run there
Finder FindChipsRefused, FindNodeRefused, FindEvicted, FindNodeLost, FindImage, FindConfiguration,
    FindMount, FindSandbox, FindOutOfMemory, FindCrash, FindInitWaits, FindStarting;
// running.cpp: they run, and the workload does not
Finder FindWorkerNames, FindSliceSplit, FindGangIncomplete, FindNotReady;

}  // namespace tpu_admission::cluster
