// One shape that a pod set could have, and the edits that give it that shape.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "repair/written.h"
#include "tpu_admission/tpu/catalog.h"
#include "tpu_admission/workload/edits.h"

namespace tpu_admission::repair {

// How far a shape is from what is written; what weighs more stands first.
struct Distance {
  bool cuts_slices = false;  // who wrote a large one does not want several small ones
  bool changes_chips = false;
  bool is_undocumented = false;
  bool changes_both = false;  // the chips and the topology that somebody wrote down
  std::int64_t chips_off = 0;
  bool changes_chips_of_pod = false;
  bool changes_topology = false;  // where it says which pods fill a slice together
  bool changes_pods = false;
  std::int64_t slices_off = 0;
  std::size_t edits = 0;
  int longest_side = 0;

  auto operator<=>(const Distance&) const = default;
};

struct Candidate {
  tpu::Placement placement;
  const tpu::Generation* generation = nullptr;
  std::int64_t chips_per_pod = 0;
  std::int64_t pods = 0;    // of a slice
  std::int64_t slices = 1;  // that the object asks for
  workload::Edits edits;
  Distance distance = {};

  // The pods are as many as they were, each for itself, or with others. `asked`: their chips, where
  // these are no whole slices.
  bool keeps_counts = false;
  std::optional<std::int64_t> asked;

  std::int64_t total_chips() const { return asked.value_or(placement.topology.chips() * slices); }
  // One pod for more chips than its host has: with the chips of a host it would be one of several
  // workers, and nobody makes the others.
  bool LeavesOneWorkerOf(const Written& written) const;
  // As many pods of the same slices, each with all chips of its host.
  bool OnlyFillsHostsOf(const Written& written) const;
  // A pod set that was read from the edited object has this shape.
  bool Is(const Written& written) const;
};

// Whether the edit would change nothing.
bool IsSo(k8s::JsonView object, const k8s::JsonEdit& edit);

// What makes the pods of a Job workers with numbers, where the shape has several hosts and the Job
// is not Indexed yet.
std::optional<k8s::JsonEdit> IndexedOn(const Written& written, const Candidate& target);

// The shape that a sound set has, without edits.
std::optional<Candidate> AsCandidate(const Written& written);

// Nearest first. `object`: what the workload was read from.
std::vector<Candidate> CandidatesFor(const Written& written, k8s::JsonView object);

}  // namespace tpu_admission::repair
