#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  const workload::Selected& zone = subject.shape.choice[NodeLabel::kZone];
  const workload::Selected& region = subject.shape.choice[NodeLabel::kRegion];
  if (!zone.fixed() || !region.fixed()) return;
  const std::string_view zones_region = RegionOf(zone.value);
  if (zones_region.empty() || zones_region == region.value) return;
  report.Add({.pointer = subject.At(NodeLabel::kZone),
              .container = "",
              .summary = "zone " + Quoted(zone.value) + " is not in region " + Quoted(region.value),
              .problem = "is " + Quoted(zone.value) + ", which is in " + std::string(zones_region) +
                         ", but the pod also selects region " + Quoted(region.value) +
                         ". No node is in both.",
              .change = "keep the zone or the region, or make them agree"});
}

}  // namespace

const Rule kTPU502 = {
    .id = "TPU502",
    .name = "zone-region",
    .mode = Mode::kDeny,
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
