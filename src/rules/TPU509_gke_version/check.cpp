#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/gke_version.h"

namespace tpu_admission::rules {
namespace tpu509 {

// The node pool may have its nodes already, so this is no fault yet.
void CheckAutoscaling(const Subject& subject, const tpu::GkeVersion& version, Report& report) {
  const tpu::GkeVersions& versions = subject.shape.generation->min_gke_version;
  const auto wanted = tpu::GkeVersion::Parse(versions.autoscaling);
  if (!wanted || !version.IsBelow(*wanted)) return;
  const std::string& label = subject.shape.generation->label;
  const std::string found = Printable(subject.cluster.gke_version);
  report.Add(
      {.pointer = subject.At(workload::NodeLabel::kAccelerator),
       .summary = fmt::format("node pools of {} scale by themselves from GKE {} on", label,
                              versions.autoscaling),
       .problem = fmt::format("is {}, whose node pools GKE scales from {} on, but this "
                              "cluster is {}: only nodes that are there already will do.{}",
                              label, versions.autoscaling, found, Remark(versions.note)),
       .change = fmt::format("upgrade the cluster to {} or later, or make the nodes yourself",
                             versions.autoscaling),
       .decision = "when the cluster is upgraded",
       .milder = Mode::kAudit});
}

void Check(const Subject& subject, Report& report) {
  const std::string& found = subject.cluster.gke_version;
  const tpu::Generation* generation = subject.shape.generation;
  if (found.empty() || generation == nullptr || subject.workload.managed_elsewhere) return;
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  const std::string& minimum =
      autopilot ? generation->min_gke_version.autopilot : generation->min_gke_version.standard;
  const auto version = tpu::GkeVersion::Parse(found);
  const auto wanted = tpu::GkeVersion::Parse(minimum);
  if (!version || !wanted) return;
  if (!version->IsBelow(*wanted)) return CheckAutoscaling(subject, *version, report);
  const std::string mode = autopilot ? "Autopilot" : "Standard";
  report.Add({.pointer = subject.At(workload::NodeLabel::kAccelerator),
              .summary = fmt::format("{} needs GKE {}, the cluster is {}", generation->label,
                                     minimum, Printable(found)),
              .problem = fmt::format("is {}, which GKE {} supports from {} on, but this cluster is "
                                     "{}: it can make no such node.{}",
                                     generation->label, mode, minimum, Printable(found),
                                     Remark(generation->min_gke_version.note)),
              .change = fmt::format("upgrade the cluster (to {} or later)", minimum),
              .decision = "when the cluster is upgraded"});
}

}  // namespace tpu509

const Rule kTPU509 = {
    .id = "TPU509",
    .name = "gke-version",
    .mode = Mode::kWarn,
    .check = tpu509::Check,
    .audience = kNodeSelectors,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
