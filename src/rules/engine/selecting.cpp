// The edits of one label, or of one count, that suggestions are made of.
#include "rules/engine/suggestions.h"

namespace tpu_admission::rules {

workload::Edits Selecting(const Subject& subject, workload::NodeLabel label, std::string value) {
  workload::Edits edits;
  SetLabel(subject.pods, label, subject.shape.choice[label], std::move(value), edits);
  return edits;
}

workload::Edits Selecting(const Subject& subject, const workload::RequiredLabel& label,
                          std::string value) {
  const bool in_affinity = label.term != workload::Selected::kInNodeSelector;
  return {{subject.At(label) + (in_affinity ? "/values/0" : ""), std::move(value),
           in_affinity ? label.key : std::string_view()}};
}

workload::Edits Without(const Subject& subject, const workload::RequiredLabel& label) {
  if (label.term != workload::Selected::kInNodeSelector) return {};
  return {{subject.At(label), std::nullopt}};
}

workload::Edits WithPods(const Subject& subject, std::int64_t pods) {
  workload::Edits edits;
  SetPods(subject.pods.scale, pods, edits);
  return edits;
}

}  // namespace tpu_admission::rules
