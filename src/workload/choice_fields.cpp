#include "tpu_admission/workload/choice_fields.h"

namespace tpu_admission::workload {

ClassPriority ReadClassPriority(const PodSet& choice) {
  ClassPriority priority;
  if (choice.row->form != Form::kTpuPriority) return priority;
  const k8s::JsonView json = choice.pod.spec.json;
  const k8s::JsonView reservations = json["reservations"];
  const std::string_view affinity = reservations["affinity"].StringOr("");
  priority.spot = json["spot"].IsTrue();
  priority.flex_start = json["flexStart"]["enabled"].IsTrue();
  if (affinity != "None") {
    priority.reservation_affinity = affinity;
    priority.names_reservation = reservations["specific"].size() > 0;
  }
  priority.machine_family = json["machineFamily"].StringOr("");
  return priority;
}

std::string_view ResourceProfileOf(const PodSet& choice) {
  if (choice.row->form != Form::kKubeAiModel) return {};
  return choice.pod.spec.json["resourceProfile"].StringOr("");
}

}  // namespace tpu_admission::workload
