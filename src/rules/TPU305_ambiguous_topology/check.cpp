#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu305 {

using workload::NodeLabel;

// The chips of the smallest and the largest host that the selectors leave.
struct Hosts {
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
};

Hosts HostsOf(const Subject& subject) {
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  Hosts hosts;
  for (const tpu::Placement& placement : subject.shape.placements) {
    if (autopilot && !placement.autopilot) continue;
    const std::int64_t chips = placement.chips_per_host();
    hosts.smallest = hosts.smallest == 0 ? chips : std::min(hosts.smallest, chips);
    hosts.largest = std::max(hosts.largest, chips);
  }
  return hosts;
}

bool IsDecided(const Subject& subject) {
  const workload::NodeChoice& choice = subject.shape.choice;
  return !choice[NodeLabel::kAcceleratorCount].free() || !choice[NodeLabel::kMachineType].free() ||
         subject.pods.nodes.by_other_means || subject.workload.queued;
}

// The scheduler keeps other pods of so many chips from a smaller host; the controller of DaemonSets
// does not look at chips.
Finding OnSmallerHosts(const Subject& subject, const Hosts& hosts) {
  const std::string topology = subject.shape.topology->Text();
  const std::string smaller = Counted(hosts.smallest, "chip");
  return {.pointer = subject.At(NodeLabel::kTopology),
          .summary = fmt::format("{} is also several hosts with {}, and a DaemonSet goes to each",
                                 topology, smaller),
          .problem =
              fmt::format("is {}, which is one host with {} as well as several with {}. The "
                          "nodes of both carry the same accelerator and topology, so the "
                          "DaemonSet makes pods for the smaller hosts too, and these stay Pending.",
                          topology, Counted(hosts.largest, "chip"), smaller),
          .edits = Selecting(subject, NodeLabel::kAcceleratorCount, std::to_string(hosts.largest))};
}

void Check(const Subject& subject, Report& report) {
  const Shape& shape = subject.shape;
  const std::int64_t chips = subject.pods.chips_per_pod;
  if (shape.placements.size() < 2 || chips == 0 || shape.generation->node_can_be_split()) return;
  const Hosts hosts = HostsOf(subject);
  if (hosts.smallest == hosts.largest || IsDecided(subject)) return;
  if (chips == hosts.largest && subject.pods.row->on_each_node) {
    return report.Add(OnSmallerHosts(subject, hosts));
  }
  if (chips != hosts.smallest) return;  // of others another rule speaks
  const std::int64_t largest = hosts.largest;
  const std::string topology = shape.topology->Text();
  report.Add(
      {.pointer = subject.At(NodeLabel::kTopology),
       .summary = fmt::format("{} is also one host with {}, whose nodes carry the same topology",
                              topology, Counted(largest, "chip")),
       .problem = fmt::format(
           "is {}, which is one host with {} as well as several with {}. The "
           "nodes of both carry the same accelerator and topology, so a pod that asks for {} may "
           "be sent to the larger host, and is refused there.",
           topology, Counted(largest, "chip"), Counted(chips, "chip"), Counted(chips, "chip")),
       .edits = Selecting(subject, NodeLabel::kAcceleratorCount, std::to_string(chips))});
}

}  // namespace tpu305

const Rule kTPU305 = {
    .id = "TPU305",
    .name = "ambiguous-topology",
    .mode = Mode::kAudit,
    .check = tpu305::Check,
};

}  // namespace tpu_admission::rules
