// Reads what chooses TPU nodes for others and holds no pods: a priority of a ComputeClass, the
// workers of a PathwaysJob, the labels of a ResourceFlavor, a resource profile of KubeAI.
#pragma once

#include <string_view>
#include <vector>

#include "tpu_admission/workload/workload.h"
#include "workload/paths.h"

namespace tpu_admission::workload {

class ChoiceReader {
 public:
  ChoiceReader(k8s::JsonView object, k8s::Decoder& decoder) : object_(object), decoder_(decoder) {}

  // Whether a row of this form is read here.
  static bool Reads(Form form);
  // Reads `at`, which stands at set.pointer, into the set; false if it chooses no TPUs.
  bool Read(PodSet& set, k8s::JsonView at, const Binding& binding);

 private:
  struct Member;

  bool ReadNodeLabels(PodSet& set, k8s::JsonView at);
  bool ReadPriority(PodSet& set, k8s::JsonView at);
  bool ReadWorker(PodSet& set, k8s::JsonView at, const Binding& binding);
  bool ReadModel(PodSet& set, k8s::JsonView at);
  // The members of `at`, which is called `pointer`, that stand for labels.
  void AddMembers(PodSet& set, k8s::JsonView at, std::string_view pointer,
                  std::span<const Member> members);
  void AddZones(k8s::JsonView location, std::string_view pointer);
  void AddSelector(PodSet& set, k8s::JsonView at);

  k8s::JsonView object_;
  k8s::Decoder& decoder_;
  std::vector<NamedLabel> labels_;
  std::vector<NamedLabel> zones_;  // any of them will do
};

}  // namespace tpu_admission::workload
