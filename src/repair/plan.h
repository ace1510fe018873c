// What is looked for in a search: for each faulty pod set a shape that runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "repair/candidate.h"
#include "tpu_admission/repair/repair.h"

namespace tpu_admission::repair {

// A pod set with its candidates, nearest first.
struct Plan {
  Written written;
  std::vector<Candidate> candidates = {};
  std::optional<Candidate> said = {};  // the shape that it has when its findings are followed
};

// A candidate that was found sound, with all that is edited for it and for the sets before it.
struct Found {
  const Candidate* target = nullptr;
  workload::Edits edits;
  std::size_t own = 0;              // the first edit of this set
  std::vector<Beside> beside = {};  // of the whole workload
  bool leaves_more = false;         // see Repair
};

// Before all else the chips are kept. Of what is found last, at most `most` stay; among several,
// what the findings say is not left out.
void KeepChipsFirst(const Written& written, std::size_t most, std::vector<Found>& found);

// The second of them goes before the first if it changes no more, and runs where the first brings a
// warning: what is written besides speaks for it.
void PutWhatRunsFirst(std::vector<Found>& found);

// The shape that the set has in a mended workload, if it is whole.
std::optional<Candidate> ShapeIn(const tpu::Catalog& catalog, const Proof& proof, const Plan& plan);

// Of the shapes that were found, one for each plan. `other_chips`: of the sets without a fault.
Repair MakeRepair(const workload::Workload& workload, const std::vector<Plan>& plans,
                  const std::vector<const Found*>& chosen, std::int64_t other_chips);

// Of edits that were looked for as a whole, and not by shapes. `mended`: what they make of it.
Repair RepairBy(const tpu::Catalog& catalog, const Proof& written, const workload::Edits& edits,
                const Proof& mended);

}  // namespace tpu_admission::repair
