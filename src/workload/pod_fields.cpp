#include "tpu_admission/workload/pod_fields.h"

#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::workload {
namespace {

k8s::JsonView JsonOf(const k8s::PodSpec& spec, const k8s::Container& container) {
  const k8s::JsonView at = spec.json.Follow(container.list);
  return container.index == k8s::Container::kAlone ? at : at.Element(container.index);
}

}  // namespace

std::string_view ChipsOfThePod(const k8s::PodSpec& spec) {
  const k8s::JsonView resources = spec.json["resources"];
  for (const std::string_view list : {"limits", "requests"}) {
    if (resources[list][kTpuResource].has_value()) return list;
  }
  return {};
}

std::string_view UnreadChipsOf(const k8s::PodSpec& spec, const k8s::Container& container) {
  const k8s::JsonView json = JsonOf(spec, container);
  if (json["resources"][kTpuResource].has_value()) return "/resources/google.com~1tpu";
  if (json["limits"][kTpuResource].has_value()) return "/limits/google.com~1tpu";
  return json["requests"][kTpuResource].has_value() ? "/requests/google.com~1tpu" : "";
}

std::string_view HostPathOf(const k8s::PodSpec& spec, std::size_t index) {
  return spec.json["volumes"].Element(index)["hostPath"]["path"].StringOr("");
}

bool HasReadinessProbe(const k8s::PodSpec& spec, const k8s::Container& container) {
  return JsonOf(spec, container)["readinessProbe"].is_object();
}

std::optional<k8s::Amount> MemorySizeLimit(const k8s::PodSpec& spec, std::size_t index) {
  const k8s::JsonView directory = spec.json["volumes"].Element(index)["emptyDir"];
  if (directory["medium"].StringOr("") != "Memory") return std::nullopt;
  return k8s::DecodeAmount(directory["sizeLimit"]);
}

std::string_view VolumeMountedAt(const k8s::PodSpec& spec, const k8s::Container& container,
                                 std::string_view path) {
  const k8s::JsonView mounts = JsonOf(spec, container)["volumeMounts"];
  for (std::size_t i = 0; i < mounts.size() && i < k8s::Decoder::kMost; ++i) {
    std::string_view at = mounts.Element(i)["mountPath"].StringOr("");
    if (at.ends_with('/')) at.remove_suffix(1);
    if (at == path) return mounts.Element(i)["name"].StringOr("");
  }
  return {};
}

std::string_view WrittenClaimOf(const k8s::PodSpec& spec, std::size_t index) {
  const k8s::JsonView claim = spec.json["volumes"].Element(index)["persistentVolumeClaim"];
  return claim["readOnly"].IsTrue() ? std::string_view() : claim["claimName"].StringOr("");
}

bool IsReadOnlyDisk(const k8s::PodSpec& spec, std::size_t index) {
  return spec.json["volumes"].Element(index)["gcePersistentDisk"]["readOnly"].IsTrue();
}

}  // namespace tpu_admission::workload
