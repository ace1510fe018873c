#include <fmt/core.h>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace tpu504 {

using workload::NodeLabel;

void Check(const Subject& subject, Report& report) {
  const tpu::Generation* generation = subject.shape.generation;
  const std::string& region = subject.cluster.region;
  if (generation == nullptr || region.empty() || subject.workload.managed_elsewhere) return;
  if (!subject.shape.choice[NodeLabel::kZone].free()) return;
  if (generation->zones.list.empty() || generation->InRegion(region)) return;
  report.Add(
      {.pointer = subject.At(NodeLabel::kAccelerator),
       .summary = fmt::format("{} is not known to be in the cluster's region {}", generation->label,
                              region),
       .problem = fmt::format("is {}, which the zone lists we know do not have in {}, the region "
                              "of this cluster. If they are out of date, this is no fault.",
                              generation->label, region),
       .change = fmt::format(
           "use a generation that {} has (tpu-admission catalog), or a cluster elsewhere", region),
       .decision = "which generation, or which region, is meant"});
}

}  // namespace tpu504

const Rule kTPU504 = {
    .id = "TPU504",
    .name = "region-without-generation",
    .mode = Mode::kWarn,
    .check = tpu504::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
