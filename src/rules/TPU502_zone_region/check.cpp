#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu502 {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  const workload::Selected& zone = subject.shape.choice[NodeLabel::kZone];
  const workload::Selected& region = subject.shape.choice[NodeLabel::kRegion];
  if (!zone.fixed() || !region.fixed()) return;
  const std::string_view zones_region = RegionOf(zone.value);
  if (zones_region.empty() || zones_region == region.value) return;
  // The zone says more than the region.
  const tpu::Generation* generation = subject.shape.generation;
  const bool offered = generation == nullptr || generation->zones.list.empty() ||
                       generation->FindZone(zone.value) != nullptr;
  const bool here = subject.cluster.region.empty() || subject.cluster.region == zones_region;
  report.Add(
      {.pointer = subject.At(NodeLabel::kZone),
       .summary =
           fmt::format("zone {} is not in region {}", Quoted(zone.value), Quoted(region.value)),
       .problem = fmt::format(
           "is {}, which is in {}, but the pod also selects region {}. No node is in both.",
           Quoted(zone.value), zones_region, Quoted(region.value)),
       .edits = offered && here ? Selecting(subject, NodeLabel::kRegion, std::string(zones_region))
                                : workload::Edits(),
       .change = offered && here ? ", or leave one of the two out"
                                 : "keep the zone or the region, or make them agree",
       .decision = "where it is to run"});
}

}  // namespace tpu502

const Rule kTPU502 = {
    .id = "TPU502",
    .name = "zone-region",
    .mode = Mode::kDeny,
    .check = tpu502::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
