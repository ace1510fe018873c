#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

// The machine type names the generation already.
void Suggest(const Subject& subject, Finding& finding) {
  if (const tpu::Generation* known = subject.shape.generation) {
    finding.edits = Selecting(subject, NodeLabel::kAccelerator, known->label);
    return;
  }
  finding.change = fmt::format(
      "add {} with the label of the generation (tpu-admission catalog "
      "lists them), for example tpu-v6e-slice",
      Key(NodeLabel::kAccelerator));
  finding.decision = "which accelerator is meant";
}

void Check(const Subject& subject, Report& report) {
  if (!subject.Misses(NodeLabel::kAccelerator)) return;
  Finding finding = {
      .pointer = subject.At(NodeLabel::kAccelerator),
      .summary = fmt::format("no {}, and {}", Key(NodeLabel::kAccelerator), AfterMissing(subject)),
      .problem = fmt::format("has no {}. {}", Key(NodeLabel::kAccelerator), WhyMissing(subject)),
      .milder = subject.MissingSelectorMode()};
  Suggest(subject, finding);
  report.Add(std::move(finding));
}

}  // namespace

const Rule kTPU102 = {
    .id = "TPU102",
    .name = "accelerator-missing",
    .mode = Mode::kDeny,
    .check = Check,
    .is_gke_check = true,
};

}  // namespace tpu_admission::rules
