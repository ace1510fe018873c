#include <fmt/core.h>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace tpu115 {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  const tpu::Generation* generation = subject.shape.generation;
  if (generation == nullptr || generation->note.empty()) return;
  if (!subject.shape.choice[NodeLabel::kAccelerator].fixed()) return;
  report.Add(
      {.pointer = subject.At(NodeLabel::kAccelerator),
       .summary = generation->documented
                      ? fmt::format("{} is a label of few nodes", generation->label)
                      : fmt::format("no public page knows {}", generation->label),
       .problem = fmt::format("is {}. {}", generation->label, generation->note),
       .change = fmt::format("check that the cluster has such nodes (kubectl get nodes -L {})",
                             workload::kGkeTpuAccelerator)});
}

}  // namespace tpu115

const Rule kTPU115 = {
    .id = "TPU115",
    .name = "unusual-accelerator",
    .mode = Mode::kAudit,
    .check = tpu115::Check,
    .audience = kNodeSelectors | workload::TpuUse::kSelects,
};

}  // namespace tpu_admission::rules
