#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  if (!subject.Misses(NodeLabel::kAccelerator)) return;
  report.Add({.pointer = subject.At(NodeLabel::kAccelerator),
              .summary = "no node selector says which TPU generation the pod needs",
              .problem = "has no cloud.google.com/gke-tpu-accelerator, so the pod may land on any "
                         "TPU node with enough chips, whatever its generation, and no node can be "
                         "provisioned for it.",
              .change = "add cloud.google.com/gke-tpu-accelerator with the label of the generation "
                        "(tpu-admission catalog lists them)",
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
