#include <fmt/core.h>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

// The machine type names the generation already.
std::string Change(const Subject& subject) {
  const tpu::Generation* known = subject.shape.generation;
  return known != nullptr
             ? fmt::format("add {}: {}", Key(NodeLabel::kAccelerator), known->label)
             : fmt::format(
                   "add {} with the label of the generation (tpu-admission catalog lists "
                   "them), for example tpu-v6e-slice",
                   Key(NodeLabel::kAccelerator));
}

void Check(const Subject& subject, Report& report) {
  if (!subject.Misses(NodeLabel::kAccelerator)) return;
  report.Add({.pointer = subject.At(NodeLabel::kAccelerator),
              .summary = fmt::format("no {}, and GKE refuses {}", Key(NodeLabel::kAccelerator),
                                     RefusedPod(subject)),
              .problem = fmt::format("has no {}. GKE's own check refuses every pod that asks for "
                                     "chips without it, whatever else chooses the node.",
                                     Key(NodeLabel::kAccelerator)),
              .change = Change(subject),
              .milder = subject.MissingSelectorMode()});
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
