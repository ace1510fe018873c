#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"

namespace tpu_admission::rules {
namespace tpu202 {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  const Shape& shape = subject.shape;
  if (shape.generation == nullptr || !shape.topology) return;
  if (shape.topology->rank() == shape.generation->dimensions) return;
  const std::string found = shape.topology->Text();
  const std::string wanted = std::to_string(shape.generation->dimensions);
  Finding finding = {
      .pointer = subject.At(NodeLabel::kTopology),
      .summary = fmt::format("topology {} has {} dimensions, {} has {}", found,
                             shape.topology->rank(), shape.generation->label, wanted),
      .problem = fmt::format("is {}, but a topology of {} has {} dimensions: {}. {}", found,
                             shape.generation->name, wanted, Topologies(*shape.generation),
                             NoSuchNode(subject)),
      .milder = UnlessDocumented(*shape.generation)};
  SuggestTopology(subject, shape.topology->chips(), finding);
  report.Add(std::move(finding));
}

}  // namespace tpu202

const Rule kTPU202 = {
    .id = "TPU202",
    .name = "topology-dimensions",
    .mode = Mode::kDeny,
    .check = tpu202::Check,
    .audience = kNodeSelectors | workload::TpuUse::kSelects,
};

}  // namespace tpu_admission::rules
