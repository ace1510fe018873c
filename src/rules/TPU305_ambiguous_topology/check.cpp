#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

// The largest host that the selectors leave; 0 if they leave but one way to get the topology.
std::int64_t LargestOfSeveral(const Subject& subject) {
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  std::int64_t ways = 0;
  std::int64_t largest = 0;
  for (const tpu::Placement& placement : subject.shape.placements) {
    if (autopilot && !placement.autopilot) continue;
    ++ways;
    largest = std::max(largest, placement.chips_per_host());
  }
  return ways > 1 ? largest : 0;
}

bool IsDecided(const Subject& subject) {
  const workload::NodeChoice& choice = subject.shape.choice;
  return !choice[NodeLabel::kAcceleratorCount].free() || !choice[NodeLabel::kMachineType].free() ||
         subject.pods.nodes.by_other_means || subject.workload.queued;
}

void Check(const Subject& subject, Report& report) {
  const Shape& shape = subject.shape;
  const std::int64_t chips = subject.pods.chips_per_pod;
  if (shape.placements.size() < 2 || chips == 0 || shape.generation->node_can_be_split()) return;
  const std::int64_t largest = LargestOfSeveral(subject);
  if (chips >= largest || IsDecided(subject)) return;
  const std::string topology = shape.topology->Text();
  report.Add(
      {.pointer = subject.At(NodeLabel::kTopology),
       .summary = fmt::format("{} is also one host with {}, whose nodes have the same labels",
                              topology, Count(largest, "chip")),
       .problem = fmt::format("is {}, which is one host with {} as well as several with {}. The "
                              "nodes of both carry the same labels, so a pod that asks for {} may "
                              "be sent to the larger host, and is refused there.",
                              topology, Count(largest, "chip"), Count(chips, "chip"),
                              Count(chips, "chip")),
       .edits = Selecting(subject, NodeLabel::kAcceleratorCount, std::to_string(chips))});
}

}  // namespace

const Rule kTPU305 = {
    .id = "TPU305",
    .name = "ambiguous-topology",
    .mode = Mode::kAudit,
    .check = Check,
};

}  // namespace tpu_admission::rules
