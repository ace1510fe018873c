#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/workload/pod_fields.h"

namespace tpu_admission::rules {
namespace tpu308 {

// To the one container that can be meant, or away if a container has them.
workload::Edits Moved(const Subject& subject, std::string_view list, bool container_has_them) {
  workload::Edits edits;
  const auto amount =
      k8s::DecodeAmount(subject.pods.pod.spec.json["resources"][list][workload::kTpuResource]);
  const auto chips = amount && amount->quantity ? amount->quantity->AsInteger() : std::nullopt;
  const k8s::Container* container = ChipContainer(subject.pods);
  if (!container_has_them) {
    if (container == nullptr || !chips) return edits;
    SetChips(subject.pods, *container, *chips, edits);
  }
  for (const char* const there : {"limits", "requests"}) {
    const k8s::JsonView resources = subject.pods.pod.spec.json["resources"];
    if (!resources[there][workload::kTpuResource].present()) continue;
    edits.push_back({subject.AtSpec(fmt::format("/resources/{}/google.com~1tpu", there)),
                     std::nullopt, "google.com/tpu of the pod"});
  }
  return edits;
}

void Check(const Subject& subject, Report& report) {
  const std::string_view list = workload::ChipsOfThePod(subject.pods.pod.spec);
  if (list.empty()) return;
  const bool container_has_them = subject.pods.use == workload::TpuUse::kChips;
  workload::Edits edits = Moved(subject, list, container_has_them);
  const bool is_known = !edits.empty();
  report.Add({.pointer = subject.AtSpec(fmt::format("/resources/{}/google.com~1tpu", list)),
              .summary = "google.com/tpu stands in the resources of the pod, not of a container",
              .problem = "asks for chips for the pod as a whole, where Kubernetes takes only cpu, "
                         "memory and huge pages. It refuses such a pod, or, before version 1.34, "
                         "drops the field, and the pod gets no chips.",
              .edits = std::move(edits),
              .change = is_known ? ""
                                 : "move google.com/tpu to resources.limits of the container that "
                                   "needs the chips",
              .decision = "which container is to have the chips",
              .milder = container_has_them ? std::optional(Mode::kWarn) : std::nullopt});
}

}  // namespace tpu308

const Rule kTPU308 = {
    .id = "TPU308",
    .name = "chips-of-the-pod",
    .mode = Mode::kDeny,
    .check = tpu308::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kSelects |
                workload::TpuUse::kTolerates,
};

}  // namespace tpu_admission::rules
