// The slice that an annotation of the pods asks to be cut out of a larger one, or made of blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
// it; those that the pods fill, if there are any.
std::string PartsOf(const SliceCut& cut);
// The slice that the annotation of the pods names; nothing if there is none that can be read.
std::optional<tpu::Topology> NamedSlice(const workload::PodSet& pods);
// The topology in a level of Kueue's such as "cloud.google.com/gke-tpu-partition-4x4x4-id".
std::optional<tpu::Topology> TopologyOfLevel(std::string_view label);
// The level for slices of `topology` that nodes of the generation carry; one of the kind of `level`
// where that is not known.
std::string LevelWith(const tpu::Generation* generation, std::string_view level,
                      const std::string& topology);
// The number of pods that Kueue reads in podset-slice-size, a sign included (strconv.ParseInt).
std::optional<std::int64_t> SliceSize(std::string_view text);
// How many pods Kueue counts in the pod set; nothing if that is not plain.
std::optional<std::int64_t> KueuePods(const workload::Scale& scale);
// The chips that these pods ask for; 0 where that is not known, or where no host has as many as one
// of them asks for: then these are at fault, which another rule says, and not where they are
// placed.
std::int64_t KueueChips(const Subject& subject, std::optional<std::int64_t> pods);
// Whether nodes of what is selected may lie in slices of `level`. True also where that is not
// known, or where even the slice that the pods name does not fit, which another rule says.
bool MayLieIn(const Subject& subject, const tpu::Topology& level);
// Whether the slices of the generation, or their parts, come in the shape of the level; true of one
// that is not known.
bool Offers(const tpu::Generation* generation, const tpu::Topology& level);
// "podset-slice-size" of a key of Kueue's; views it.
std::string_view Short(std::string_view key);
// Whether nodes of the generation carry the level: one of a shape that it offers, named as GKE does
// there, and that is no partition larger than a block. True of a generation that is not known.
bool HasLevel(const tpu::Generation* generation, std::string_view level);
// Names the level of `slice` to Kueue in the place of `level`, the value of `key`. A slice of
// several blocks has none: Kueue is to place it block by block. None where the pods do not divide a
// block.
workload::Edits NamingLevel(const Subject& subject, std::string_view key, std::string_view level,
                            const tpu::Topology& slice);
// Names the level of `topology` to Kueue where nodes of that cannot lie in the level that is named.
workload::Edits LevelsWithin(const Subject& subject, const tpu::Topology& topology);
// Where Kueue is told the level of this slice, it must be told another with another slice: ", and
// podset-required-topology accordingly".
std::string LevelToo(const SliceCut& cut);
// The slice that podset-slice-required-topology names, if the pods of podset-slice-size fill that,
// and nodes may lie in it: the two say what the annotation was meant to say.
std::optional<tpu::Topology> AgreedSlice(const SliceCut& cut);
// Asks for that, or else for the first of these that the pods fill, of Kueue too; none if they fill
// none.
workload::Edits CutAnew(const SliceCut& cut);
// "set cloud.google.com/gke-tpu-slice-topology to 2x4".
std::string SetSliceTopology(const std::string& value);

}  // namespace tpu_admission::rules
