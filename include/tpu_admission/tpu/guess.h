// What a wrong accelerator label was meant to be, where a topology stands beside it.
#pragma once

#include <string_view>

#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::tpu {

// Catalog::Guess, or a generation of the same number that has `topology` where the guess has
// topologies of another rank: tpu-v5-slice with 4x4 is v5e, tpu-v5p is v5p with any.
const Generation* GuessFor(const Catalog& catalog, std::string_view label,
                           const Topology& topology);

}  // namespace tpu_admission::tpu
