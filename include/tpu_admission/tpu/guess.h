// What wrong names of generations and wrong topologies were meant to be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::tpu {

// Catalog::Guess; or, with a topology, a generation of the same number that has `topology` where
// the guess has topologies of another rank: tpu-v5-slice with 4x4 is v5e, tpu-v5p is v5p with any.
const Generation* GuessFor(const Catalog& catalog, std::string_view label,
                           const std::optional<Topology>& topology);

// 16 of v6e-16 and v5litepod-16: Cloud TPU ends the name of a slice with its TensorCores. 0:
// none, or more than anybody has.
std::optional<std::int64_t> CoresInName(std::string_view name);

// What to say of a name by which Catalog::Guess finds nothing: "did you mean v6e?" of v6f, else
// which generations there are.
std::string HintFor(const Catalog& catalog, std::string_view name);

// What "2X4", " 2 x 4 ", "2*4", "2xx4" or "2x4x" was meant to be, if that is a topology.
std::optional<Topology> Tidied(std::string_view text);

// 2x2 of 2x2x1 where topologies have two dimensions, 2x2x1 of 2x2 where they have three, 2x4 of
// 4x2: the same chips in another spelling. Nothing where the generation does not have it.
std::optional<Topology> AsOffered(const Generation& generation, const Topology& topology);

}  // namespace tpu_admission::tpu
