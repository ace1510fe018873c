// Changes that fit this very manifest: followed to the letter, each leaves chips, topology and
// counts that agree with each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {

// Selects `value` in the place of what is selected.
workload::Edits Selecting(const Subject& subject, workload::NodeLabel label, std::string value);
workload::Edits Selecting(const Subject& subject, const workload::RequiredLabel& label,
                          std::string value);
// Takes the label out of nodeSelector; none where an affinity names it.
workload::Edits Without(const Subject& subject, const workload::RequiredLabel& label);
// So that `pods` pods with TPUs run together; none of kTogether, whose replicas are shared out.
workload::Edits WithPods(const Subject& subject, std::int64_t pods);

// Gives the finding the edits that set the chips of `container`, and the count that must change
// with them; or the words for it where the chips are not known.
void SuggestChips(const Subject& subject, const k8s::Container& container, Finding& finding);

// Gives the finding the edits that select the topology that comes nearest to `wished_chips` chips
// (if known), of those that the other labels leave, with the chips and counts that must change with
// it, and names two others that are filled as they are; or words where there is none.
void SuggestTopology(const Subject& subject, std::int64_t wished_chips, Finding& finding);
// Gives the finding the edits with which the pods fill the selected topology on other hosts, which
// the cluster's mode and the other labels leave; false where there are none such.
bool SuggestHosts(const Subject& subject, Finding& finding);
// Gives the finding the edit that selects `other`, where that has the selected topology and the
// pods fill it as they are; false where they do not.
bool SuggestAccelerator(const Subject& subject, const tpu::Generation& other, Finding& finding);
// The topologies that the pods of this pod set fill as they are, of `candidates`.
std::vector<std::string> FilledBy(const Subject& subject,
                                  const std::vector<tpu::Placement>& candidates);
// The chips that the whole pod set asks for; 0 if that is not known.
std::int64_t WishedChips(const Subject& subject);

}  // namespace tpu_admission::rules
