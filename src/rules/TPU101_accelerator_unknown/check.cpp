#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

std::string KnownLabels(const tpu::Catalog& catalog) {
  std::vector<std::string> labels;
  for (const tpu::Generation& generation : catalog.generations()) {
    if (generation.documented) labels.push_back(generation.label);
  }
  return JoinOr(labels);
}

Finding Misspelt(const Subject& subject, const std::string& value, const tpu::Generation& meant) {
  return {.pointer = subject.At(NodeLabel::kAccelerator),
          .container = "",
          .summary = "accelerator " + value + " does not exist, " + meant.label + " does",
          .problem = "is " + value + ", but no TPU node is called that; the name of " + meant.name +
                     " is " + meant.label + ". Pods that are sent there stay Pending for ever.",
          .change = SelectorChange(subject, NodeLabel::kAccelerator, meant.label)};
}

Finding Unknown(const Subject& subject, const std::string& value) {
  const std::string version(subject.catalog.version());
  return {.pointer = subject.At(NodeLabel::kAccelerator),
          .container = "",
          .summary = "accelerator " + value + " is not in the TPU catalog of " + version,
          .problem = "is " + value + ", which the TPU catalog of " + version +
                     " does not know, so nothing that depends on it was checked. If it is a new "
                     "generation, this is no fault.",
          .change = "check the spelling (known: " + KnownLabels(subject.catalog) +
                    "), or give tpu-admission a newer catalog",
          .milder = Mode::kWarn};
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& accelerator = subject.shape.choice[NodeLabel::kAccelerator];
  if (!accelerator.fixed() || subject.shape.generation != nullptr) return;
  const std::string value = Quoted(accelerator.value);
  const tpu::Generation* meant = subject.catalog.LooksLikeNewGeneration(accelerator.value)
                                     ? nullptr
                                     : subject.catalog.Guess(accelerator.value);
  report.Add(meant != nullptr ? Misspelt(subject, value, *meant) : Unknown(subject, value));
}

}  // namespace

const Rule kTPU101 = {
    .id = "TPU101",
    .name = "accelerator-unknown",
    .mode = Mode::kDeny,
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
