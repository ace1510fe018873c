#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu503 {

using workload::NodeLabel;

void CheckLabel(const Subject& subject, NodeLabel label, std::string_view noun, Report& report) {
  const workload::Selected& selected = subject.shape.choice[label];
  if (!selected.fixed()) return;
  const std::string_view region = RegionOf(selected.value);
  if (region.empty() || region == subject.cluster.region) return;
  report.Add({.pointer = subject.At(label),
              .summary = fmt::format("{} {} is outside the cluster's region {}", noun,
                                     Quoted(selected.value), subject.cluster.region),
              .problem = fmt::format(
                  "is {}, but this cluster is in {}, and a cluster has no nodes in other regions.",
                  Quoted(selected.value), subject.cluster.region),
              .change = fmt::format("select a zone of {}, or apply this to a cluster in {}",
                                    subject.cluster.region, region),
              .decision = "where it is to run"});
}

void Check(const Subject& subject, Report& report) {
  if (subject.cluster.region.empty() || subject.workload.managed_elsewhere) return;
  CheckLabel(subject, NodeLabel::kZone, "zone", report);
  CheckLabel(subject, NodeLabel::kRegion, "region", report);
}

}  // namespace tpu503

const Rule kTPU503 = {
    .id = "TPU503",
    .name = "cluster-location",
    .mode = Mode::kDeny,
    .check = tpu503::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
