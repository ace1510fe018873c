#include <fmt/core.h>

#include "rules/engine/misspelt_key.h"
#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu102 {

using workload::NodeLabel;

// "tpu-v4-podslice, tpu-v5p-slice or tpu7x": those that have the topology.
std::string WithTopology(const Subject& subject) {
  std::vector<std::string> labels;
  if (!subject.shape.topology) return "";
  for (const tpu::Generation& generation : subject.catalog.generations()) {
    if (generation.documented && generation.Has(*subject.shape.topology))
      labels.push_back(generation.label);
  }
  return JoinOr(labels);
}

// The machine type names the generation already.
void Suggest(const Subject& subject, Finding& finding) {
  finding.edits = RespeltTo(subject, NodeLabel::kAccelerator);
  if (!finding.edits.empty()) return;
  if (const tpu::Generation* known = subject.shape.generation) {
    finding.edits = Selecting(subject, NodeLabel::kAccelerator, known->label);
    return;
  }
  const std::string possible = WithTopology(subject);
  finding.change = fmt::format(
      "add {}, the name of the generation (tpu-admission catalog lists them){}",
      Key(NodeLabel::kAccelerator),
      possible.empty()
          ? ", for example tpu-v6e-slice"
          : fmt::format("; {} exists for {}", subject.shape.topology->Text(), possible));
  finding.decision = "which accelerator is meant";
}

void Check(const Subject& subject, Report& report) {
  if (!subject.AsksForChips() || !subject.Misses(NodeLabel::kAccelerator)) return;
  Finding finding = {
      .pointer = subject.At(NodeLabel::kAccelerator),
      .summary = fmt::format("no {}, and {}", Key(NodeLabel::kAccelerator), AfterMissing(subject)),
      .problem = fmt::format("has no {}. {}", Key(NodeLabel::kAccelerator), WhyMissing(subject)),
      .milder = subject.MissingSelectorMode()};
  if (subject.has_only_chips_of_the_pod()) finding.milder = Mode::kWarn;
  Suggest(subject, finding);
  report.Add(std::move(finding));
}

}  // namespace tpu102

const Rule kTPU102 = {
    .id = "TPU102",
    .name = "accelerator-missing",
    .mode = Mode::kDeny,
    .check = tpu102::Check,
    .audience =
        workload::TpuUse::kChips | workload::TpuUse::kSelects | workload::TpuUse::kTolerates,
    .is_gke_check = true,
};

}  // namespace tpu_admission::rules
