#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace tpu204 {

Finding At(const Subject& subject, std::string summary, std::string problem,
           std::string change = "") {
  return {.pointer = subject.AtAnnotation(workload::kGkeSliceTopology),
          .summary = std::move(summary),
          .problem = std::move(problem),
          .change = std::move(change),
          .decision = "which slice is meant"};
}

Finding Instead(Finding finding, const tpu::Topology& slice) {
  finding.edits = {{finding.pointer, slice.Text()}};
  finding.change.clear();
  return finding;
}

Finding Malformed(const Subject& subject, std::string_view text) {
  const std::string value = Quoted(text);
  const std::optional<tpu::Topology> meant = tpu::Tidied(text);
  Finding finding = At(
      subject, fmt::format("slice topology {} is malformed", value),
      fmt::format(
          "is {}, which is no topology: two or three numbers of at least 1, joined by a small x. "
          "The device plugin would silently take the topology of the whole node pool.",
          value));
  if (meant) return Instead(std::move(finding), *meant);
  finding.change = SetSliceTopology("the shape of the slice, such as 2x4 or 2x2x2");
  return finding;
}

// "2x2x1 or 2x2x2, or a shape in multiples of 4x4x4 in rising order"
std::string PartsThereAre(const SliceCut& cut) {
  const auto& slicing = cut.generation.dynamic_slicing;
  if (!slicing) return PartsOf(cut);
  std::vector<std::string> parts;
  for (const tpu::Topology& part : slicing->sub_slices) parts.push_back(part.Text());
  return fmt::format("{}, or a shape in multiples of {} in rising order", JoinOr(parts),
                     slicing->block.Text());
}

// Of the parts of a block that with as many chips, if there is one.
std::optional<tpu::Topology> PartOfSameSize(const SliceCut& cut) {
  if (!cut.generation.dynamic_slicing) return std::nullopt;
  for (const tpu::Topology& part : cut.generation.dynamic_slicing->sub_slices) {
    if (part.chips() == cut.slice.chips() && (!cut.parent || cut.parent->Contains(part)))
      return part;
  }
  return std::nullopt;
}

Finding OtherRank(const SliceCut& cut) {
  const std::string dimensions = std::to_string(cut.generation.dimensions);
  Finding finding =
      At(cut.subject,
         fmt::format("slice topology {} has {} dimensions, {} has {}", cut.name(), cut.slice.rank(),
                     cut.generation.label, dimensions),
         fmt::format("is {}, but a slice of {} has {} dimensions. The device plugin would "
                     "silently take the topology of the whole node pool.",
                     cut.name(), cut.generation.name, dimensions),
         SetSliceTopology(PartsThereAre(cut)));
  if (const auto agreed = AgreedSlice(cut)) return Instead(std::move(finding), *agreed);
  if (const auto part = PartOfSameSize(cut)) return Instead(std::move(finding), *part);
  if (!cut.generation.dynamic_slicing) finding.edits = CutAnew(cut);
  if (!finding.edits.empty()) finding.change.clear();
  return finding;
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

std::optional<Finding> CheckDynamic(const SliceCut& cut) {
  const tpu::DynamicSlicing& slicing = *cut.generation.dynamic_slicing;
  const std::string why = WhyNot(slicing, cut.slice);
  if (why.empty()) return std::nullopt;
  Finding finding =
      At(cut.subject, fmt::format("{} has no slice {}: {}", cut.generation.label, cut.name(), why),
         fmt::format("is {}, but slices of {} are made of blocks of {}, and {}.", cut.name(),
                     cut.generation.name, slicing.block.Text(), why),
         SetSliceTopology(PartsThereAre(cut)));
  if (cut.generation.Has(cut.slice)) finding.milder = Mode::kWarn;
  if (const auto agreed = AgreedSlice(cut)) return Instead(std::move(finding), *agreed);
  const tpu::Topology rising = cut.slice.Rising();
  if (WhyNot(slicing, rising).empty()) return Instead(std::move(finding), rising);
  return finding;
}

Finding NoParts(const SliceCut& cut) {
  Finding finding =
      At(cut.subject, fmt::format("slices of {} cannot be cut into parts", cut.generation.label),
         fmt::format("asks for {} part of a slice, but GKE does not cut slices of {}: the pods "
                     "would see the topology of the whole node pool.",
                     WithArticle(cut.name()), cut.generation.name));
  finding.edits = {{finding.pointer, std::nullopt}};
  if (cut.generation.Has(cut.slice)) {
    const workload::Edits selected =
        Selecting(cut.subject, workload::NodeLabel::kTopology, cut.name());
    finding.edits.insert(finding.edits.end(), selected.begin(), selected.end());
  }
  finding.milder = Mode::kWarn;
  return finding;
}

Finding NotListed(const SliceCut& cut) {
  Finding finding =
      At(cut.subject, fmt::format("{} has no slice {}", cut.generation.label, cut.name()),
         fmt::format("is {}, which {} does not come in, so nothing cuts such a part.", cut.name(),
                     cut.generation.label),
         SetSliceTopology(PartsOf(cut)) + LevelToo(cut));
  finding.edits = CutAnew(cut);
  if (!finding.edits.empty()) finding.change.clear();
  finding.milder = Mode::kWarn;
  return finding;
}

// Whether all hosts of this domain may lie in several parts: of a whole node pool, or of a larger
// part.
bool IsTooWide(const SliceCut& cut, std::string_view level) {
  constexpr std::array kOfPool = {workload::kGkeNodePool, workload::kZoneLabel,
                                  workload::kRegionLabel, workload::kGkeTpuAccelerator,
                                  workload::kGkeTpuTopology};
  const std::optional<tpu::Topology> part = TopologyOfLevel(level);
  return (part && part->chips() > cut.slice.chips()) ||
         std::find(kOfPool.begin(), kOfPool.end(), level) != kOfPool.end();
}

// Why Kueue does not see to it that the pods land on hosts that lie side by side; empty if it does,
// or where that is not known.
std::string WhyApart(const SliceCut& cut) {
  const k8s::StringMap& annotations = cut.subject.pods.pod.metadata.annotations;
  if (annotations.Has(workload::kKueueSliceRequired) ||
      annotations.Has(workload::kKueueSliceLayers)) {
    return "";
  }
  if (const auto level = annotations.Find(workload::kKueueRequired)) {
    return IsTooWide(cut, *level) ? fmt::format("{} is {}, which holds several parts",
                                                workload::kKueueRequired, Quoted(*level))
                                  : "";
  }
  if (annotations.Has(workload::kKueuePreferred)) {
    return fmt::format("{} only prefers hosts of one part", workload::kKueuePreferred);
  }
  if (annotations.Has(workload::kKueueUnconstrained)) {
    return fmt::format("{} lets Kueue take any hosts", workload::kKueueUnconstrained);
  }
  return "no Kueue annotation says that the pods must be on hosts of one part";
}

// What tells Kueue so. Of more pods than one part takes, each part is a slice of its own.
workload::Edits KeepingTogether(const SliceCut& cut, const Slice& slice) {
  const std::string level = fmt::format("{}slice-{}-id", workload::kGkeTpuPrefix, cut.name());
  const std::int64_t pods = KueuePods(cut.subject.pods.scale).value_or(slice.pods);
  const k8s::StringMap& annotations = cut.subject.pods.pod.metadata.annotations;
  workload::Edits edits;
  const auto remove = [&](std::string_view key) {
    if (annotations.Has(key)) edits.push_back({cut.subject.AtAnnotation(key), std::nullopt});
  };
  if (pods <= slice.pods || pods % slice.pods != 0) {
    edits = {{cut.subject.AtAnnotation(workload::kKueueRequired), level}};
    remove(workload::kKueuePreferred);  // only one of the three may be there
  } else {
    edits = {{cut.subject.AtAnnotation(workload::kKueueSliceRequired), level},
             {cut.subject.AtAnnotation(workload::kKueueSliceSize), std::to_string(slice.pods)}};
  }
  remove(workload::kKueueUnconstrained);
  return edits;
}

Finding NotKeptTogether(const SliceCut& cut, const Slice& slice, const std::string& why) {
  Finding finding =
      At(cut.subject, fmt::format("nothing keeps the hosts of {} together", cut.name()),
         fmt::format("cuts {} part out of {}, but {}. The scheduler may take any hosts, and the "
                     "program ends with connection timeouts.",
                     WithArticle(cut.name()), cut.parent->Text(), why),
         "");
  finding.edits = KeepingTogether(cut, slice);
  if (!cut.subject.workload.queued) {
    finding.change = SentenceOf(finding.edits) + ", and add the label of a Kueue queue";
    finding.decision = "which queue of Kueue's is meant";
    finding.edits.clear();
  }
  finding.milder = Mode::kWarn;
  return finding;
}

std::optional<Finding> CheckStatic(const SliceCut& cut) {
  if (!cut.generation.static_slicing) return NoParts(cut);
  if (!cut.generation.Has(cut.slice)) return NotListed(cut);
  const std::optional<Slice> slice = cut.subject.MultiHostSlice();
  const bool by_kuberay = cut.subject.workload.kind->group == "ray.io";  // its TPU webhook
  if (!cut.parent || !slice || by_kuberay) return std::nullopt;
  const std::string why = WhyApart(cut);
  return why.empty() ? std::nullopt : std::optional(NotKeptTogether(cut, *slice, why));
}

std::optional<Finding> FindFault(const SliceCut& cut) {
  if (cut.slice.rank() != cut.generation.dimensions) return OtherRank(cut);
  if (cut.parent && *cut.parent == cut.slice) return std::nullopt;  // all of it
  const auto& dynamic = cut.generation.dynamic_slicing;
  if (dynamic) {
    if (std::optional<Finding> finding = CheckDynamic(cut)) return finding;
  }
  if (!cut.FitsParent()) return std::nullopt;  // slice-outside-topology speaks of it
  return dynamic ? std::nullopt : CheckStatic(cut);
}

void Check(const Subject& subject, Report& report) {
  const std::optional<std::string_view> text = subject.pods.SliceTopology();
  if (!text || workload::IsPlaceholder(*text)) return;
  if (!tpu::Topology::Parse(*text)) return report.Add(Malformed(subject, *text));
  const std::optional<SliceCut> cut = CutOf(subject);
  if (!cut) return;
  if (std::optional<Finding> finding = FindFault(*cut)) report.Add(*std::move(finding));
}

}  // namespace tpu204

const Rule kTPU204 = {
    .id = "TPU204",
    .name = "slice-topology",
    .mode = Mode::kDeny,
    .check = tpu204::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
