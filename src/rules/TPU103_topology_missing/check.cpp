#include <fmt/core.h>

#include "rules/engine/misspelt_key.h"
#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace tpu103 {

using workload::NodeLabel;

// Without a generation nobody knows more than the size.
std::string_view ExampleFor(std::int64_t chips) {
  if (chips == 1) return "1x1 for one chip (tpu-admission catalog lists them)";
  return chips == 8 ? "2x4 for one host of 8 chips (tpu-admission catalog lists them)"
                    : "2x2 for one host of 4 chips (tpu-admission catalog lists them)";
}

// The generation that stands under the label of GPUs, or was meant there, which another rule finds
// fault with.
const tpu::Generation* UnderOtherKey(const Subject& subject) {
  const auto gpu = workload::FindRequired(subject.pods.pod.spec, workload::kGkeGpu);
  if (!gpu || !NamesTpu(*gpu)) return nullptr;
  const tpu::Generation* const known = subject.catalog.FindByLabel(gpu->value);
  return known != nullptr ? known : subject.catalog.Guess(gpu->value);
}

void Suggest(const Subject& subject, Finding& finding) {
  finding.edits = RespeltTo(subject, NodeLabel::kTopology);
  if (!finding.edits.empty()) return;
  if (subject.pods.SliceTopology()) {  // the node pool's may be a larger one
    finding.change = fmt::format(
        "add the label {}, which lets Kueue choose what the slice is cut from, or set {} to the "
        "topology of the node pool",
        workload::kKueueQueue, Key(NodeLabel::kTopology));
    finding.decision = "which queue or node pool is meant";
    return;
  }
  const tpu::Generation* generation = subject.shape.generation;
  if (generation == nullptr || subject.has_only_chips_of_the_pod()) {
    const tpu::Generation* const meant = generation ? generation : UnderOtherKey(subject);
    finding.change = fmt::format(
        "add {}, the shape of the slice in chips{}", Key(NodeLabel::kTopology),
        meant != nullptr ? fmt::format(" ({} has {})", meant->label, Topologies(*meant))
                         : fmt::format(", for example {}", ExampleFor(subject.pods.chips_per_pod)));
    finding.decision = "which topology is meant";
    return;
  }
  SuggestTopology(subject, WishedChips(subject), finding);
  if (!finding.edits.empty()) finding.change.clear();
  finding.change += fmt::format(" ({} has {})", generation->label, Topologies(*generation));
}

void Check(const Subject& subject, Report& report) {
  if (!subject.AsksForChips() || !subject.Misses(NodeLabel::kTopology)) return;
  Finding finding = {
      .pointer = subject.At(NodeLabel::kTopology),
      .summary = fmt::format("no {}, and {}", Key(NodeLabel::kTopology), AfterMissing(subject)),
      .problem = fmt::format("has no {}, the shape of the slice in chips. {}",
                             Key(NodeLabel::kTopology), WhyMissing(subject)),
      .milder = subject.MissingSelectorMode()};
  if (subject.has_only_chips_of_the_pod()) finding.milder = Mode::kWarn;
  Suggest(subject, finding);
  report.Add(std::move(finding));
}

}  // namespace tpu103

const Rule kTPU103 = {
    .id = "TPU103",
    .name = "topology-missing",
    .mode = Mode::kDeny,
    .check = tpu103::Check,
    .audience =
        workload::TpuUse::kChips | workload::TpuUse::kSelects | workload::TpuUse::kTolerates,
    .is_gke_check = true,
};

}  // namespace tpu_admission::rules
