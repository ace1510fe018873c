#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  const Shape& shape = subject.shape;
  if (shape.generation == nullptr || !shape.topology) return;
  if (shape.topology->rank() == shape.generation->dimensions) return;
  const std::string found = shape.topology->Text();
  const std::string wanted = std::to_string(shape.generation->dimensions);
  const std::vector<std::string> near = NearestTopologies(subject, shape.topology->chips());
  report.Add({.pointer = subject.At(NodeLabel::kTopology),
              .container = "",
              .summary = "topology " + found + " has " + std::to_string(shape.topology->rank()) +
                         " dimensions, " + shape.generation->label + " has " + wanted,
              .problem = "is " + found + ", but a topology of " + shape.generation->name + " has " +
                         wanted + " dimensions: " + Topologies(*shape.generation) + ". " +
                         std::string(NoSuchNode(subject)),
              .change = SelectorChange(subject, NodeLabel::kTopology, near.front())});
}

}  // namespace

const Rule kTPU202 = {
    .id = "TPU202",
    .name = "topology-dimensions",
    .mode = Mode::kDeny,
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
