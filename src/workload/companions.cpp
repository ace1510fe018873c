#include "tpu_admission/workload/companions.h"

#include "tpu_admission/k8s/decoder.h"

namespace tpu_admission::workload {
namespace {

// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
bool IsOfOneNode(k8s::JsonView modes) {
  for (std::size_t i = 0; i < modes.size() && i < k8s::Decoder::kMost; ++i) {
    const std::string_view mode = modes.Element(i).StringOr("");
    if (mode != "ReadWriteOnce" && mode != "ReadWriteOncePod") return false;
  }
  return modes.is_array() && modes.size() > 0;
}

}  // namespace

void Companions::Add(const k8s::GroupVersionKind& gvk, k8s::JsonView object) {
  if (!gvk.group.empty() || gvk.kind != "PersistentVolumeClaim" || claims_.size() == kMost) return;
  const k8s::JsonView metadata = object["metadata"];
  const k8s::JsonView spec = object["spec"];
  const std::string_view name = metadata["name"].StringOr("");
  if (name.empty()) return;
  claims_.insert_or_assign(
      {std::string(metadata["namespace"].StringOr("")), std::string(name)},
      VolumeClaim{.one_node = IsOfOneNode(spec["accessModes"]),
                  .storage_class = std::string(spec["storageClassName"].StringOr("")),
                  .is_bound = spec["volumeName"].has_value() ||
                              spec["storageClassName"].StringOr("-").empty()});
}

const VolumeClaim* Companions::FindClaim(std::string_view namespace_name,
                                         std::string_view name) const {
  const auto claim = claims_.find(std::pair(std::string(namespace_name), std::string(name)));
  return claim == claims_.end() ? nullptr : &claim->second;
}

}  // namespace tpu_admission::workload
