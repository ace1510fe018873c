#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu101 {

using workload::NodeLabel;

std::string KnownLabels(const tpu::Catalog& catalog) {
  std::vector<std::string> labels;
  for (const tpu::Generation& generation : catalog.generations()) {
    if (generation.documented) labels.push_back(generation.label);
  }
  return JoinOr(labels);
}

Finding OtherName(const Subject& subject, const std::string& value, const tpu::Generation& meant) {
  return {.pointer = subject.At(NodeLabel::kAccelerator),
          .summary = fmt::format("accelerator {} does not exist, {} does", value, meant.label),
          .problem = fmt::format("is {}, but no TPU node is called that; the name of {} is {}. "
                                 "Pods that are sent there stay Pending for ever.",
                                 value, meant.name, meant.label),
          .edits = Selecting(subject, NodeLabel::kAccelerator, meant.label)};
}

// "true", "1": somebody took the name for a flag.
bool IsFlag(std::string_view value) {
  return value == "true" || value == "false" || value.find_first_not_of("0123456789") == value.npos;
}

Finding NoName(const Subject& subject, const std::string& value) {
  return {
      .pointer = subject.At(NodeLabel::kAccelerator),
      .summary = fmt::format("accelerator {} is no name of a TPU generation", value),
      .problem = fmt::format("is {}, but this label is no flag: on each TPU node it has the "
                             "name of the generation, so no node matches.",
                             value),
      .change = fmt::format("name the generation; for nodes of all of them use node affinity with "
                            "the operator Exists (known: {})",
                            KnownLabels(subject.catalog)),
      .decision = "which generation is meant",
      .milder = Mode::kWarn};
}

// Such as nvidia-l4 and nvidia-tesla-t4.
// https://cloud.google.com/kubernetes-engine/docs/how-to/gpus
bool NamesGpu(std::string_view value) { return value.starts_with("nvidia"); }

Finding OfGpu(const Subject& subject, const std::string& value) {
  return {.pointer = subject.At(NodeLabel::kAccelerator),
          .summary = fmt::format("accelerator {} is the name of a GPU", value),
          .problem = fmt::format("is {}, the name of a GPU: nodes with GPUs have theirs under {}, "
                                 "and no node has it under this label, so none matches.",
                                 value, workload::kGkeGpu),
          .change = fmt::format("name the TPU generation (known: {}), or where a GPU is meant, "
                                "select it by {} and ask for its own resource",
                                KnownLabels(subject.catalog), workload::kGkeGpu),
          .decision = "whether TPUs or GPUs are meant",
          .milder = Mode::kWarn};
}

Finding Unknown(const Subject& subject, const std::string& value) {
  const std::string version(subject.catalog.version());
  return {
      .pointer = subject.At(NodeLabel::kAccelerator),
      .summary = fmt::format("accelerator {} is not in the TPU catalog of {}", value, version),
      .problem =
          fmt::format("is {}, which the TPU catalog of {} does not know, so nothing that depends "
                      "on it was checked. If it is a new generation, this is no fault.",
                      value, version),
      .change = fmt::format("check the spelling (known: {}), or give tpu-admission a newer catalog",
                            KnownLabels(subject.catalog)),
      .decision = "whether the name is right",
      .milder = Mode::kWarn};
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& accelerator = subject.shape.choice[NodeLabel::kAccelerator];
  const bool known = subject.shape.generation != nullptr && !subject.shape.guessed;
  if (!accelerator.fixed() || known) return;
  const tpu::Generation* const meant =
      subject.shape.guessed ? subject.shape.generation : MeantBy(subject.catalog, subject.shape);
  const std::string value = Quoted(accelerator.value);
  report.Add(meant != nullptr              ? OtherName(subject, value, *meant)
             : IsFlag(accelerator.value)   ? NoName(subject, value)
             : NamesGpu(accelerator.value) ? OfGpu(subject, value)
                                           : Unknown(subject, value));
}

}  // namespace tpu101

const Rule kTPU101 = {
    .id = "TPU101",
    .name = "accelerator-unknown",
    .mode = Mode::kDeny,
    .check = tpu101::Check,
    .audience = kNodeSelectors | workload::TpuUse::kSelects,
    .judges_label = true,
};

}  // namespace tpu_admission::rules
