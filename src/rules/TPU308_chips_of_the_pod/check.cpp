#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/workload/pod_fields.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const std::string_view list = workload::ChipsOfThePod(subject.pods.pod.spec);
  if (list.empty()) return;
  const bool container_has_them = subject.pods.use == workload::TpuUse::kChips;
  report.Add({.pointer = subject.AtSpec(fmt::format("/resources/{}/google.com~1tpu", list)),
              .summary = "google.com/tpu stands in the resources of the pod, not of a container",
              .problem = "asks for chips for the pod as a whole, where Kubernetes takes only cpu, "
                         "memory and huge pages. It refuses such a pod, or, before version 1.34, "
                         "drops the field, and the pod gets no chips.",
              .change = container_has_them
                            ? "remove it here; a container asks for its chips already"
                            : "move google.com/tpu to resources.limits of the container that "
                              "needs the chips",
              .milder = container_has_them ? std::optional(Mode::kWarn) : std::nullopt});
}

}  // namespace

const Rule kTPU308 = {
    .id = "TPU308",
    .name = "chips-of-the-pod",
    .mode = Mode::kDeny,
    .check = Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kSelects |
                workload::TpuUse::kTolerates,
};

}  // namespace tpu_admission::rules
