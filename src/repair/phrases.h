// How a repair reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "repair/candidate.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::repair {

// "keep 4x4, 16 chips on 4 hosts"
std::string What(const Written& written, const Candidate& target);
// Whether one of the edits writes the topology of the set, which stands nowhere else in it.
bool SaysTopology(std::span<const k8s::JsonEdit> edits, const workload::PodSet& pods);
// Which of the two places that can name a label: "nodeSelector ", "affinity "; empty: no label.
std::string_view PlaceOf(const k8s::JsonEdit& edit);
// "workers: " where the object has other pod sets too, or "Worker: ", "tasks[0]: " where they have
// no names and several are told of; empty: it has not, or they are no elements of anything.
std::string NameBefore(const workload::Workload& workload, const workload::PodSet& pods,
                       bool is_told_alone);
// "topology: 4x4, containers[0] google.com/tpu: 4". Requests and limits of chips are one change to
// a reader. Where labels have two places, the place is told before the first of several.
std::string Changes(std::span<const k8s::JsonEdit> edits, bool has_affinity);
// "a: topology: 4x4; b: parallelism: 2" of edits of several pod sets, in their order; without names
// where all want the same, or only one anything.
std::string ChangesBySet(const workload::Workload& workload, std::span<const k8s::JsonEdit> edits,
                         bool has_affinity);

}  // namespace tpu_admission::repair
