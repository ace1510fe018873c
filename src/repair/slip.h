// A slip in the topology of pods that fill slices with those of another set.
#pragma once

#include <string_view>
#include <vector>

#include "tpu_admission/repair/repair.h"
#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::repair {

struct OneTopology {
  std::string_view pods;  // JSON pointer of the set that gets it
  workload::Edits edits;
  bool is_of_leader = false;  // with a label that is none
};

// For a leader whose accelerator nobody has the labels of its workers; then the topologies of other
// sets with the same accelerator, for faulty sets that say another one: first for those whose own
// nobody offers. A few at most.
std::vector<OneTopology> TopologiesOfOthers(const tpu::Catalog& catalog, const Proof& written);

// Whether the pods of several sets fill the slices of this one.
bool FillsWithOthers(const tpu::Catalog& catalog, const workload::Workload& workload,
                     const workload::PodSet& pods);

}  // namespace tpu_admission::repair
