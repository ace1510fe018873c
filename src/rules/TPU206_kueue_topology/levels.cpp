#include <fmt/core.h>
#include <algorithm>

#include "rules/TPU206_kueue_topology/annotations.h"
#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules::tpu206 {
namespace {

// The slice that the pods ask for, if there are such slices.
std::optional<tpu::Topology> OfferedSlice(const Subject& subject) {
  const std::optional<tpu::Topology> slice = NamedSlice(subject.pods);
  return slice && Offers(subject.shape.generation, *slice) ? slice : std::nullopt;
}

// Of all pods together.
std::int64_t AskedChips(const Subject& subject) {
  return KueueChips(subject, KueuePods(subject.pods.scale));
}

// The whole slice that is selected, if all pods together fill it.
std::optional<tpu::Topology> FilledSlice(const Subject& subject) {
  const Shape& shape = subject.shape;
  const bool is_whole = !subject.pods.SliceTopology() && !shape.placements.empty() &&
                        AskedChips(subject) == shape.topology->chips();
  return is_whole ? shape.topology : std::nullopt;
}

// Names the level of `slice` in the place of `level`; none where the pods ask for more.
workload::Edits ToLevel(const Subject& subject, std::string_view key, std::string_view level,
                        const tpu::Topology& slice) {
  if (key == workload::kKueueRequired && AskedChips(subject) > slice.chips()) return {};
  return NamingLevel(subject, key, level, slice);
}

// The nodes have such a level, by another name. The first versions of xpk's slice controller looked
// for blocks of TPU7x by that of the others: slice/internal/core/constants.go.
void CheckName(Annotations& annotations, std::string_view key, std::string_view level,
               const std::string& right) {
  const Subject& subject = annotations.subject();
  const tpu::Generation* const generation = subject.shape.generation;
  const bool is_whole = TopologyOfLevel(level).has_value();
  if (generation == nullptr || (is_whole && HasLevel(generation, level))) return;
  annotations.Doubt(
      key, fmt::format("nodes of {} carry another level: {}", generation->label, Short(right)),
      fmt::format("is {}, but GKE labels nodes of {} with {}: Kueue finds no place for the pods{}.",
                  Quoted(level), generation->label, right,
                  generation->dynamic_slicing && is_whole
                      ? ", unless your nodes have the label of early versions"
                      : ""),
      "", {{subject.AtAnnotation(key), right, Short(key)}});
}

// The level that was meant where "-id" is left out or misspelt; else as it is. Under the prefixes
// of GKE's own labels nobody has others.
std::string Completed(std::string_view level) {
  for (const std::string_view prefix :
       {workload::kGkeTpuSlicePrefix, workload::kGkeTpuPartitionPrefix}) {
    if (!level.starts_with(prefix)) continue;
    const std::string_view text = level.substr(prefix.size());
    const auto topology = tpu::Topology::Parse(text.substr(0, text.find('-')));
    if (topology) return fmt::format("{}{}-id", prefix, topology->Text());
  }
  return std::string(level);
}

void CheckLevel(Annotations& annotations, std::string_view key) {
  const Subject& subject = annotations.subject();
  const std::string_view level = annotations.Value(key);
  const std::string meant = Completed(level);
  const std::optional<tpu::Topology> topology = TopologyOfLevel(meant);
  if (!topology) return;
  const Shape& shape = subject.shape;
  const bool offered = Offers(shape.generation, *topology);
  const std::string right = LevelWith(shape.generation, meant, topology->Text());
  const bool of_blocks = offered && !HasLevel(shape.generation, right);
  if (offered && !of_blocks && MayLieIn(subject, *topology)) {
    return CheckName(annotations, key, level, right);
  }
  // topology-not-offered speaks of both.
  if (topology == shape.topology && shape.placements.empty()) return;
  const std::string nodes = offered ? Name(shape) : shape.generation->label;
  const auto named = OfferedSlice(subject);
  const auto slice = named ? named : FilledSlice(subject);
  annotations.Doubt(
      key, fmt::format("no node of {} has the Kueue level {}", nodes, topology->Text()),
      of_blocks
          ? fmt::format("is {}, but nodes of {} carry no label of what is larger than a block of "
                        "{}: Kueue finds no place for the pods.",
                        Quoted(level), shape.generation->label,
                        shape.generation->dynamic_slicing->block.Text())
          : fmt::format("is {}, but {} {} {}: no node carries such a label, and Kueue finds no "
                        "place for the pods.",
                        Quoted(level), nodes, offered ? "holds no" : "does not come in",
                        topology->Text()),
      of_blocks
          ? fmt::format("let {} name the level of a block, and {} the pods on one",
                        Short(workload::kKueueSliceRequired), Short(workload::kKueueSliceSize))
      : named   ? fmt::format("set it to the level of {}", named->Text())
      : slice   ? ", or select a larger topology"
      : offered ? "name a level that lies within it, or select a larger topology"
      : subject.pods.SliceTopology()
          ? fmt::format("name the level of the slice that {} says", workload::kGkeSliceTopology)
          : fmt::format("name the level of a slice that {} comes in", nodes),
      slice ? ToLevel(subject, key, meant, *slice) : workload::Edits());
}

// Of a level of slices, or of node pools, where one of several hosts is one slice.
std::optional<tpu::Topology> SliceOfLevel(const Subject& subject, std::string_view level) {
  if (level != workload::kGkeNodePool) return TopologyOfLevel(level);
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice || subject.pods.SliceTopology()) return std::nullopt;
  return slice->topology;
}

// The level of one slice holds no more chips than the slice has.
void CheckRequired(Annotations& annotations) {
  const std::string_view level = annotations.Value(workload::kKueueRequired);
  const std::optional<tpu::Topology> topology = SliceOfLevel(annotations.subject(), level);
  if (!topology || !HasLevel(annotations.subject().shape.generation, level)) return;
  const workload::PodSet& set = annotations.subject().pods;
  const std::string_view name = Short(workload::kKueueRequired);
  const std::optional<tpu::Topology> slice = OfferedSlice(annotations.subject());
  if (slice && slice->rank() == topology->rank() && !topology->Contains(*slice)) {
    return annotations.Doubt(
        workload::kKueueRequired,
        fmt::format("{} is for {}, the slice is {}", name, topology->Text(), slice->Text()),
        fmt::format("is a level of slices of {}, but the pods ask for one of {}, which is larger: "
                    "Kueue finds no place for them.",
                    topology->Text(), slice->Text()),
        fmt::format("name the level of slices of {}", slice->Text()),
        ToLevel(annotations.subject(), workload::kKueueRequired, level, *slice));
  }
  const std::optional<std::int64_t> pods = KueuePods(set.scale);
  const std::int64_t asked = AskedChips(annotations.subject());
  if (asked <= topology->chips()) return;
  annotations.Doubt(
      workload::kKueueRequired, fmt::format("{} chips do not fit {}", asked, name),
      fmt::format("wants all {} on one slice of {}, which has {}, but they ask for {}: Kueue never "
                  "admits them.",
                  Counted(*pods, "pod"), topology->Text(), Counted(topology->chips(), "chip"),
                  asked),
      fmt::format("use {} and {} {}, or fewer pods", Short(workload::kKueueSliceRequired),
                  Short(workload::kKueueSliceSize), topology->chips() / set.chips_per_pod));
}

// The level of the slices that Kueue is to place holds no more pods than fill one. Where the pods
// do not fill the slice that they name either, slice-size speaks of it.
void CheckSliceRequired(Annotations& annotations) {
  const Subject& subject = annotations.subject();
  const std::string_view level = annotations.Value(workload::kKueueSliceRequired);
  const std::optional<tpu::Topology> topology = TopologyOfLevel(level);
  const std::optional<tpu::Topology> slice = OfferedSlice(subject);
  const auto size = SliceSize(annotations.Value(workload::kKueueSliceSize));
  if (!topology || !slice || !size || !HasLevel(subject.shape.generation, level)) return;
  const std::int64_t asked = KueueChips(subject, size);
  if (asked <= topology->chips() || asked != slice->chips()) return;
  workload::Edits edits = NamingLevel(subject, workload::kKueueSliceRequired, level, *slice);
  // Of several blocks the level of one may be named already.
  const k8s::JsonScalar named = std::string(level);
  std::erase_if(edits, [&](const k8s::JsonEdit& edit) { return edit.value == named; });
  annotations.Doubt(
      workload::kKueueSliceRequired,
      fmt::format("{} do not fit {}, which is for {}", Counted(*size, "pod"),
                  Short(workload::kKueueSliceRequired), topology->Text()),
      fmt::format("is a level of slices of {}, which have {}, but {} are to be together on one of "
                  "{}, and they ask for {}: Kueue never admits them.",
                  topology->Text(), Counted(topology->chips(), "chip"), Counted(*size, "pod"),
                  slice->Text(), asked),
      fmt::format("name the level of slices of {}", slice->Text()), std::move(edits));
}

// A level of one node holds no more pods than the node has chips for; `pods` are to be together.
void CheckNode(Annotations& annotations, std::string_view key, std::optional<std::int64_t> pods) {
  if (annotations.Value(key) != workload::kHostNameLabel || pods.value_or(0) < 1) return;
  const Subject& subject = annotations.subject();
  const std::int64_t host = LargestHost(subject);
  const std::int64_t asked = KueueChips(subject, pods);
  if (host == 0 || asked <= host) return;
  const bool fits = subject.shape.topology && asked <= subject.shape.topology->chips();
  annotations.Doubt(
      key, fmt::format("{} do not fit one node, {}", Counted(*pods, "pod"), Short(key)),
      fmt::format("is {}, so Kueue looks for one node for {}, but they ask for {} and a node of {} "
                  "has {}: Kueue never admits them.",
                  workload::kHostNameLabel, Counted(*pods, "pod"), Counted(asked, "chip"),
                  NameOfNodes(subject.shape), host),
      "name a level that holds all of them",
      fits ? workload::Edits{{subject.AtAnnotation(key), std::string(workload::kGkeNodePool)}}
           : workload::Edits());
}

// A node pool of several hosts is one slice.
void CheckSliceInPool(Annotations& annotations) {
  if (annotations.Value(workload::kKueueSliceRequired) != workload::kGkeNodePool) return;
  const Subject& subject = annotations.subject();
  const tpu::PlacementList& placements = subject.shape.placements;
  const std::optional<tpu::Topology>& pool = subject.shape.topology;
  const auto size = SliceSize(annotations.Value(workload::kKueueSliceSize));
  const bool one_slice = !placements.empty() && !annotations.Has(workload::kGkeSliceTopology) &&
                         std::none_of(placements.begin(), placements.end(),
                                      [](const auto& one) { return one.single_host(); });
  if (!one_slice || !size || KueueChips(subject, size) <= pool->chips()) return;
  const std::int64_t pods = pool->chips() / subject.pods.chips_per_pod;
  const std::int64_t all = KueuePods(subject.pods.scale).value_or(0);
  const bool divides = pods > 0 && all > 0 && all % pods == 0;
  annotations.Doubt(
      workload::kKueueSliceSize,
      fmt::format("{} do not fit a node pool of {}", Counted(*size, "pod"), pool->Text()),
      fmt::format("is {}, so Kueue looks for a node pool for {}, but one of {} has room for {}: "
                  "Kueue never admits them.",
                  *size, Counted(*size, "pod"), pool->Text(), pods),
      fmt::format("set {} to {}", Short(workload::kKueueSliceSize), pods),
      divides ? workload::Edits{{subject.AtAnnotation(workload::kKueueSliceSize),
                                 std::to_string(pods), Short(workload::kKueueSliceSize)}}
              : workload::Edits());
}

}  // namespace

void CheckLevels(Annotations& annotations) {
  for (const std::string_view key :
       {workload::kKueueRequired, workload::kKueuePreferred, workload::kKueueSliceRequired}) {
    CheckLevel(annotations, key);
  }
  CheckRequired(annotations);
  CheckSliceRequired(annotations);
  CheckNode(annotations, workload::kKueueRequired, KueuePods(annotations.subject().pods.scale));
  CheckNode(annotations, workload::kKueueSliceRequired,
            SliceSize(annotations.Value(workload::kKueueSliceSize)));
  CheckSliceInPool(annotations);
}

}  // namespace tpu_admission::rules::tpu206
