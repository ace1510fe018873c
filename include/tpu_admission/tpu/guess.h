// What a wrong accelerator label was meant to be, by the topology that stands beside it.
#pragma once

#include <optional>
#include <string_view>

#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::tpu {

// Catalog::Guess; or, with a topology, a generation of the same number that has `topology` where
// the guess has topologies of another rank: tpu-v5-slice with 4x4 is v5e, tpu-v5p is v5p with any.
const Generation* GuessFor(const Catalog& catalog, std::string_view label,
                           const std::optional<Topology>& topology);

}  // namespace tpu_admission::tpu
