#include <fmt/core.h>

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
              .summary = fmt::format("zone {} is not in region {}", Quoted(zone.value),
                                     Quoted(region.value)),
              .problem = fmt::format(
                  "is {}, which is in {}, but the pod also selects region {}. No node is in both.",
                  Quoted(zone.value), zones_region, Quoted(region.value)),
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
