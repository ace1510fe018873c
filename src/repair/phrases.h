// How a repair reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "repair/candidate.h"

namespace tpu_admission::repair {

// "4 chips"
std::string Plural(std::int64_t count, std::string_view word);
// "keep 4x4, 16 chips on 4 hosts"
std::string What(const Written& written, const Candidate& target);
// Which of the two places that can name a label: "nodeSelector ", "affinity "; empty: no label.
std::string_view PlaceOf(const k8s::JsonEdit& edit);
// "topology: 4x4, containers[0] google.com/tpu: 4". Requests and limits of chips are one change to
// a reader. Where labels have two places, the place is told before the first of several.
std::string Changes(std::span<const k8s::JsonEdit> edits, bool has_affinity);

}  // namespace tpu_admission::repair
