#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu113 {

std::string_view LegacyResource(const k8s::ResourceList& resources) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (resources.Name(i).starts_with(workload::kLegacyTpuPrefix)) return resources.Name(i);
  }
  return {};
}

void Check(const Subject& subject, Report& report) {
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    std::string_view resource = LegacyResource(container.limits);
    if (resource.empty()) resource = LegacyResource(container.requests);
    if (resource.empty()) continue;
    const std::string name = Printable(resource);
    report.Add(
        container,
        {.summary = fmt::format("no TPU node offers {}", name),
         .problem =
             fmt::format("asks for {}, a resource of the former Cloud TPU operator. TPU nodes of "
                         "GKE offer google.com/tpu alone, so the pod stays Pending.",
                         name),
         .change = "ask for google.com/tpu instead, which counts chips where v2 and v3 counted "
                   "cores (8 cores are 4 chips), and select the nodes by "
                   "cloud.google.com/gke-tpu-accelerator and cloud.google.com/gke-tpu-topology "
                   "(tpu-admission catalog lists both)",
         .decision = "which TPUs are meant"});
  }
}

}  // namespace tpu113

const Rule kTPU113 = {
    .id = "TPU113",
    .name = "legacy-cloud-tpu",
    .mode = Mode::kWarn,
    .check = tpu113::Check,
    .audience = workload::TpuUses(workload::TpuUse::kLegacy),
};

}  // namespace tpu_admission::rules
