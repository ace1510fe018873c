// Reads what stands at the path of a pod set, whatever its form.
#pragma once

#include <optional>

#include "tpu_admission/workload/workload.h"
#include "workload/argo.h"
#include "workload/paths.h"

namespace tpu_admission::workload {

// The pod sets of one object. What they are good for, the decoder says: nothing if it has an error
// or exceeded a bound.
class PodSetReader {
 public:
  PodSetReader(k8s::JsonView object, k8s::Decoder& decoder)
      : object_(object), decoder_(decoder), arena_(decoder.arena()) {}

  // Reads the pod set `at` the path of `row`, bound by `binding`, into `set`, which is new. False
  // if it has nothing to do with TPUs.
  bool Read(const PodSetRow& row, k8s::JsonView at, const Binding& binding, PodSet& set);

 private:
  bool ReadForm(PodSet& set, k8s::JsonView at, const Binding& binding);
  bool ReadPod(PodSet& set, k8s::JsonView at, const Binding& binding);
  bool ReadFlinkTemplate(PodSet& set, k8s::JsonView at);
  bool ReadDeviceClaim(PodSet& set, k8s::JsonView at, const Binding& binding);
  void Complete(PodSet& set, const Binding& binding);
  void StandAt(PodSet& set, const Binding& binding);

  k8s::JsonView object_;
  k8s::Decoder& decoder_;
  k8s::Arena& arena_;
  std::optional<ArgoWorkflow> workflow_;  // of the only row of its kind
};

}  // namespace tpu_admission::workload
