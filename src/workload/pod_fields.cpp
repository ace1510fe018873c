#include "tpu_admission/workload/pod_fields.h"

#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::workload {

std::string_view ChipsOfThePod(const k8s::PodSpec& spec) {
  const k8s::JsonView resources = spec.json["resources"];
  for (const std::string_view list : {"limits", "requests"}) {
    if (resources[list][kTpuResource].has_value()) return list;
  }
  return {};
}

std::string_view HostPathOf(const k8s::PodSpec& spec, std::size_t index) {
  return spec.json["volumes"].Element(index)["hostPath"]["path"].StringOr("");
}

bool IsReadOnlyDisk(const k8s::PodSpec& spec, std::size_t index) {
  return spec.json["volumes"].Element(index)["gcePersistentDisk"]["readOnly"].IsTrue();
}

}  // namespace tpu_admission::workload
