// The slice that an annotation of the pods asks to be cut out of a larger one, or made of blocks.
#pragma once

#include <optional>
#include <string>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {

struct SliceCut {
  const Subject& subject;
  const tpu::Generation& generation;
  tpu::Topology slice;
  std::optional<tpu::Topology> parent;  // the topology selector, if it is one of the generation

  std::string name() const { return slice.Text(); }
  // Nowhere longer than the parent, if that is known. The nodes of dynamic slices may carry the
  // topology of a block.
  bool FitsParent() const;
};

// Nothing without the annotation, or if it or the generation cannot be read.
std::optional<SliceCut> CutOf(const Subject& subject);
// "2x2, 2x4 or 4x4": the listed topologies that the machines of the parent make and that fit into
// it.
std::string PartsOf(const SliceCut& cut);
// "set the annotation cloud.google.com/gke-tpu-slice-topology to 2x4".
std::string SetSliceTopology(const std::string& value);

}  // namespace tpu_admission::rules
