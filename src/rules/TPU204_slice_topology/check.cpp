#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace {

// The slice that the annotation asks for, beside what is known of the generation.
struct Cut {
  const Subject& subject;
  const tpu::Generation& generation;
  tpu::Topology slice;
  std::optional<tpu::Topology> parent;  // the topology selector, if it is one of the generation

  std::string name() const { return slice.Text(); }
};

Finding At(const Subject& subject, std::string summary, std::string problem, std::string change) {
  return {.pointer = subject.AtAnnotation(workload::kGkeSliceTopology),
          .summary = std::move(summary),
          .problem = std::move(problem),
          .change = std::move(change)};
}

std::string SetTo(const std::string& value) {
  return fmt::format("set the annotation {} to {}", workload::kGkeSliceTopology, value);
}

Finding Malformed(const Subject& subject, std::string_view text) {
  const std::string value = Quoted(text);
  const std::optional<tpu::Topology> meant = Tidied(text);
  return At(
      subject, fmt::format("slice topology {} is malformed", value),
      fmt::format(
          "is {}, which is no topology: two or three numbers of at least 1, joined by a small x. "
          "The device plugin would silently take the topology of the whole node pool.",
          value),
      SetTo(meant ? meant->Text() : "the shape of the slice, such as 2x4 or 2x2x2"));
}

Finding OtherRank(const Cut& cut) {
  const std::string dimensions = std::to_string(cut.generation.dimensions);
  return At(cut.subject,
            fmt::format("slice topology {} has {} dimensions, {} has {}", cut.name(),
                        cut.slice.rank(), cut.generation.label, dimensions),
            fmt::format("is {}, but a slice of {} has {} dimensions. The device plugin would "
                        "silently take the topology of the whole node pool.",
                        cut.name(), cut.generation.name, dimensions),
            SetTo(NearestTopologies(cut.subject, cut.slice.chips()).front()));
}

// "2x2, 2x4 or 4x4": the listed topologies that the machines of the parent make and that fit into
// it.
std::string Parts(const Cut& cut) {
  const auto machines = cut.subject.shape.machines();
  std::vector<std::string> names;
  for (const tpu::Placement& placement : cut.generation.placements) {
    const std::string name = placement.topology.Text();
    const bool made =
        std::find(machines.begin(), machines.end(), placement.machine) != machines.end();
    const bool fits = !cut.parent || cut.parent->Contains(placement.topology);
    const bool fresh = std::find(names.begin(), names.end(), name) == names.end();
    if (made && fits && fresh) names.push_back(name);
  }
  return JoinOr(names);
}

bool InBlocks(const tpu::DynamicSlicing& slicing, const tpu::Topology& slice) {
  const auto sides = slice.dimensions();
  const auto block = slicing.block.dimensions();
  for (std::size_t i = 0; i < sides.size() && i < block.size(); ++i) {
    if (sides[i] % block[i] != 0) return false;
  }
  return slice.rank() == slicing.block.rank();
}

// Why the generation's blocks make no such slice; empty if they do.
std::string WhyNot(const tpu::DynamicSlicing& slicing, const tpu::Topology& slice) {
  const auto& parts = slicing.sub_slices;
  if (std::find(parts.begin(), parts.end(), slice) != parts.end()) return "";
  if (!InBlocks(slicing, slice)) return "no such part is cut out of a block";
  if (slice.chips() / slicing.block.chips() > slicing.max_blocks) {
    return fmt::format("it would take more than the {} blocks that there are", slicing.max_blocks);
  }
  const bool order_matters = slicing.order == tpu::DimensionOrder::kRequired;
  return order_matters && !slice.NonDecreasing() ? "the dimensions must be in rising order" : "";
}

std::optional<Finding> CheckDynamic(const Cut& cut) {
  const tpu::DynamicSlicing& slicing = *cut.generation.dynamic_slicing;
  const std::string why = WhyNot(slicing, cut.slice);
  if (why.empty()) return std::nullopt;
  std::vector<std::string> parts;
  for (const tpu::Topology& part : slicing.sub_slices) parts.push_back(part.Text());
  Finding finding =
      At(cut.subject, fmt::format("{} has no slice {}: {}", cut.generation.label, cut.name(), why),
         fmt::format("is {}, but slices of {} are made of blocks of {}, and {}.", cut.name(),
                     cut.generation.name, slicing.block.Text(), why),
         SetTo(fmt::format("{}, or a shape in multiples of {} in rising order", JoinOr(parts),
                           slicing.block.Text())));
  if (!cut.generation.PlacementsOf(cut.slice).empty()) finding.milder = Mode::kWarn;
  return finding;
}

Finding NotInParent(const Cut& cut) {
  const std::string parent = cut.parent->Text();
  Finding finding =
      At(cut.subject, fmt::format("a {} slice does not fit into {}", cut.name(), parent),
         fmt::format("is {}, but the pods select nodes of a {} slice, and a part is nowhere longer "
                     "than the whole.",
                     cut.name(), parent),
         fmt::format("{}, or select a larger topology", SetTo(Parts(cut))));
  if (cut.generation.dynamic_slicing) finding.milder = Mode::kWarn;
  return finding;
}

Finding NoParts(const Cut& cut) {
  Finding finding = At(
      cut.subject, fmt::format("slices of {} cannot be cut into parts", cut.generation.label),
      fmt::format("asks for a {} part of a slice, but GKE does not cut slices of {}: the pods "
                  "would see the topology of the whole node pool.",
                  cut.name(), cut.generation.name),
      cut.generation.PlacementsOf(cut.slice).empty()
          ? "remove the annotation"
          : fmt::format("remove the annotation, and {}",
                        SelectorChange(cut.subject, workload::NodeLabel::kTopology, cut.name())));
  finding.milder = Mode::kWarn;
  return finding;
}

Finding NoParent(const Cut& cut) {
  Finding finding =
      At(cut.subject, fmt::format("a {} part is asked for, but not of which topology", cut.name()),
         fmt::format("asks for a {} part, but the pods do not select the topology of the slice "
                     "that it is cut from, so its hosts may be taken from slices of any size.",
                     cut.name()),
         fmt::format("add {} with the topology of the node pool",
                     Key(workload::NodeLabel::kTopology)));
  finding.milder = Mode::kWarn;
  return finding;
}

Finding NotListed(const Cut& cut) {
  Finding finding =
      At(cut.subject, fmt::format("{} has no slice {}", cut.generation.label, cut.name()),
         fmt::format("is {}, which {} does not come in, so nothing cuts such a part.", cut.name(),
                     cut.generation.label),
         SetTo(Parts(cut)));
  finding.milder = Mode::kWarn;
  return finding;
}

// Somebody sees to it that the pods land on hosts that lie side by side.
bool IsKeptTogether(const Cut& cut) {
  const k8s::StringMap& annotations = cut.subject.pods.pod.metadata.annotations;
  const bool by_kueue =
      std::any_of(workload::kKueuePlacements.begin(), workload::kKueuePlacements.end(),
                  [&](std::string_view key) { return annotations.Has(key); }) ||
      annotations.Has(workload::kKueueSliceRequired) ||
      annotations.Has(workload::kKueueSliceLayers);
  return by_kueue || cut.subject.workload.kind->group == "ray.io";  // by KubeRay's TPU webhook
}

Finding NotKeptTogether(const Cut& cut) {
  Finding finding =
      At(cut.subject, fmt::format("nothing keeps the hosts of the {} part together", cut.name()),
         fmt::format("cuts a {} part out of {}, but no Kueue annotation says that the pods must be "
                     "on hosts of one part. The scheduler may take any hosts, and the program ends "
                     "with connection timeouts.",
                     cut.name(), cut.parent->Text()),
         fmt::format("add the annotation {}: cloud.google.com/gke-tpu-slice-{}-id{}",
                     workload::kKueueRequired, cut.name(),
                     cut.subject.workload.queued ? "" : ", and the label of a Kueue queue"));
  finding.milder = Mode::kWarn;
  return finding;
}

std::optional<Finding> CheckStatic(const Cut& cut) {
  if (!cut.generation.static_slicing) return NoParts(cut);
  const bool chosen_elsewhere =
      cut.subject.workload.queued || cut.subject.pods.nodes.by_other_means;
  const bool unselected = cut.subject.shape.choice[workload::NodeLabel::kTopology].free();
  if (unselected && !chosen_elsewhere) return NoParent(cut);
  if (cut.generation.PlacementsOf(cut.slice).empty()) return NotListed(cut);
  const std::optional<Slice> slice = cut.subject.SliceOfPods();
  const bool one_host = !slice || !slice->multi_host();
  if (!cut.parent || one_host || IsKeptTogether(cut)) return std::nullopt;
  return NotKeptTogether(cut);
}

std::optional<Finding> Judge(const Cut& cut) {
  if (cut.slice.rank() != cut.generation.dimensions) return OtherRank(cut);
  if (cut.parent && *cut.parent == cut.slice) return std::nullopt;  // all of it
  const auto& dynamic = cut.generation.dynamic_slicing;
  if (dynamic) {
    if (std::optional<Finding> finding = CheckDynamic(cut)) return finding;
  }
  // The nodes of dynamic slices may carry the topology of a block.
  const bool in_parent =
      !cut.parent || cut.parent->Contains(cut.slice) || (dynamic && *cut.parent == dynamic->block);
  if (!in_parent) return NotInParent(cut);
  return dynamic ? std::nullopt : CheckStatic(cut);
}

void Check(const Subject& subject, Report& report) {
  const std::optional<std::string_view> text = subject.pods.SliceTopology();
  if (!text || workload::IsPlaceholder(*text)) return;
  const std::optional<tpu::Topology> slice = tpu::Topology::Parse(*text);
  if (!slice) return report.Add(Malformed(subject, *text));
  const Shape& shape = subject.shape;
  if (shape.generation == nullptr) return;
  Cut cut{subject, *shape.generation, *slice, shape.topology};
  if (cut.parent && cut.parent->rank() != shape.generation->dimensions) cut.parent.reset();
  if (std::optional<Finding> finding = Judge(cut)) report.Add(*std::move(finding));
}

}  // namespace

const Rule kTPU204 = {
    .id = "TPU204",
    .name = "slice-topology",
    .mode = Mode::kDeny,
    .check = Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
