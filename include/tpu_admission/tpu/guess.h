// What wrong names of generations and wrong topologies were meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::tpu {

// Catalog::Guess; or, with a topology, a generation of the same number that has `topology` where
// the guess has topologies of another rank: tpu-v5-slice with 4x4 is v5e, tpu-v5p is v5p with any.
const Generation* GuessFor(const Catalog& catalog, std::string_view label,
                           const std::optional<Topology>& topology);

// What to say of a name by which Catalog::Guess finds nothing: "did you mean v6e?" of v6f, else
// which generations there are.
std::string HintFor(const Catalog& catalog, std::string_view name);

// What "2X4", " 2 x 4 " or "2*4" was meant to be, if that is a topology.
std::optional<Topology> Tidied(std::string_view text);

}  // namespace tpu_admission::tpu
