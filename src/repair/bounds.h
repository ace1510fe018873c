// Fields beside a count that bound it, or are bound by it: their own API server or webhook refuses
// an object where the two disagree, and a gang waits for ever for pods that nobody makes.
#pragma once

#include <cstdint>

#include "tpu_admission/k8s/json.h"
#include "tpu_admission/workload/edits.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::repair {

// Whether one of them agreed with its count in `before`, and does not in `after`. `workload` was
// read from `before`.
bool BreaksABound(k8s::JsonView before, k8s::JsonView after, const workload::Workload& workload);

// Kubeflow's own webhook takes no PyTorchJob with another number than one of them:
// kubeflow/training-operator pkg/webhooks/pytorch/pytorchjob_webhook.go.
bool IsTheOneMaster(const workload::Scale& scale);

// What follows when a set of replicas (kTogether) gets `pods`: the bounds that are the same as the
// number of today, and those that would not hold any more.
void FollowPods(k8s::JsonView object, const workload::Scale& scale, std::int64_t pods,
                workload::Edits& edits);

}  // namespace tpu_admission::repair
