#include <fmt/core.h>
#include <optional>
#include <string>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu414 {

using workload::NodeLabel;

// The controller sets this label from a field of the workers; the selector names it too.
void CheckLabel(const Subject& subject, NodeLabel label, std::string_view field,
                std::string_view made, Report& report) {
  const auto own = workload::FindRequired(subject.pods.pod.spec, Key(label));
  if (!own || !own->fixed || made.empty() || own->value == made) return;
  const std::string found = Quoted(own->value);
  workload::Edits edits = Without(subject, *own);
  const std::string words = edits.empty() ? "remove it" : "";
  report.Add(
      {.pointer = subject.At(*own),
       .summary = fmt::format("{} is {}, but {} makes it {}", Key(label), found, field, made),
       .problem = fmt::format("is {}, but the controller of PathwaysJob sets this label to "
                              "{} by {}. One of the two is lost, or no node has both.",
                              found, made, field),
       .edits = std::move(edits),
       .change = fmt::format("{}, or change {}", words, field),
       .decision = "which of the two values is meant"});
}

void CheckElastic(const Subject& subject, Report& report) {
  const workload::Count& elastic = subject.pods.scale.elastic_slices;
  const std::optional<std::int64_t> slices = subject.pods.scale.slices.value;
  if (!elastic.written || !elastic.value || !slices || *elastic.value <= *slices) return;
  report.Add(
      {.pointer = elastic.pointer(),
       .summary = fmt::format("elasticSlices is {}, but there are only {}", *elastic.value,
                              Counted(*slices, "slice")),
       .problem = fmt::format("is {}: so many slices may be missing at a time, but the workers "
                              "have only {} (numSlices).",
                              *elastic.value, *slices),
       .edits = {{elastic.pointer(), *slices}},
       .change = ", or raise numSlices"});
}

void Check(const Subject& subject, Report& report) {
  if (subject.pods.row->form != workload::Form::kPathwaysWorker) return;
  const Shape& shape = subject.shape;
  if (shape.generation != nullptr) {
    CheckLabel(subject, NodeLabel::kAccelerator, "type", shape.generation->label, report);
  }
  const workload::Selected& topology = shape.choice[NodeLabel::kTopology];
  if (topology.fixed())
    CheckLabel(subject, NodeLabel::kTopology, "topology", topology.value, report);
  CheckElastic(subject, report);
}

}  // namespace tpu414

const Rule kTPU414 = {
    .id = "TPU414",
    .name = "pathways-workers",
    .mode = Mode::kWarn,
    .check = tpu414::Check,
    .audience = workload::TpuUses(workload::TpuUse::kChoice),
};

}  // namespace tpu_admission::rules
