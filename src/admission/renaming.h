// The faults that an object had under names that are gone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "tpu_admission/rules/engine.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::admission {

// A container whose name is new may be one that was renamed, and have the faults of one whose name
// is gone; so may a pod set (a Ray group, a template of a workflow) that asks for the same: as many
// pods with as many chips of such nodes. Which of several it was does not matter. Views what it is
// made of.
class RenamedFaults {
 public:
  // `faults` are those of `before`.
  RenamedFaults(const std::set<rules::FaultId>& faults, const workload::Workload& before,
                const workload::Workload& after);

  // A fault of `after`.
  bool Had(const rules::Finding& finding) const;

 private:
  using PodSets = std::map<workload::PodSetId, const workload::PodSet*>;
  static PodSets ById(const workload::Workload& workload);

  // A fault without the name of its pod set, and what the set asks for.
  using OfPodSet = std::tuple<rules::FaultId, std::int64_t, std::optional<std::int64_t>,
                              std::optional<std::string_view>, std::optional<std::string_view>>;
  static OfPodSet Of(rules::FaultId fault, const workload::PodSet& pods);

  const PodSets before_;
  std::set<OfPodSet> of_pod_sets_;
  std::set<rules::FaultId> of_containers_;  // without that of the container
};

}  // namespace tpu_admission::admission
