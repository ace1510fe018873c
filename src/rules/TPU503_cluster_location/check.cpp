#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

void CheckLabel(const Subject& subject, NodeLabel label, std::string_view noun, Report& report) {
  const workload::Selected& selected = subject.shape.choice[label];
  if (!selected.fixed()) return;
  const std::string_view region = RegionOf(selected.value);
  if (region.empty() || region == subject.cluster.region) return;
  report.Add({.pointer = subject.At(label),
              .container = "",
              .summary = std::string(noun) + " " + Quoted(selected.value) +
                         " is outside the cluster's region " + subject.cluster.region,
              .problem = "is " + Quoted(selected.value) + ", but this cluster is in " +
                         subject.cluster.region + ", and a cluster has no nodes in other regions.",
              .change = "select a zone of " + subject.cluster.region +
                        ", or apply this to a cluster in " + std::string(region)});
}

void Check(const Subject& subject, Report& report) {
  if (subject.cluster.region.empty() || subject.workload.managed_elsewhere) return;
  CheckLabel(subject, NodeLabel::kZone, "zone", report);
  CheckLabel(subject, NodeLabel::kRegion, "region", report);
}

}  // namespace

const Rule kTPU503 = {
    .id = "TPU503",
    .name = "cluster-location",
    .mode = Mode::kDeny,
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
