#include "workload/argo.h"

#include <array>

#include "workload/paths.h"

namespace tpu_admission::workload {
namespace {

using k8s::ContainerRole;

constexpr std::array<k8s::ContainerList, 5> kTemplateLists = {
    {{"initContainers", ContainerRole::kInit},
     {"container", ContainerRole::kMain, true},
     {"script", ContainerRole::kMain, true},
     {"containerSet/containers", ContainerRole::kMain},
     {"sidecars", ContainerRole::kMain}}};

}  // namespace

ArgoWorkflow::ArgoWorkflow(k8s::JsonView object, std::string_view path, k8s::Decoder& decoder)
    : pointer_(decoder.arena().Text(PointerAt(object, WorkflowPath(path), {}))) {
  const std::size_t before = decoder.entries();
  // A workflow has volumes and selectors as a pod has, but no containers.
  defaults_ = k8s::DecodePodSpec(Locate(object, WorkflowPath(path), {}), decoder, {});
  entries_ = decoder.entries() - before;
}

bool ArgoWorkflow::Read(PodSet& set, k8s::JsonView json, k8s::Decoder& decoder) const {
  k8s::PodSpec& spec = set.pod.spec;
  spec = k8s::DecodePodSpec(json, decoder, kTemplateLists);
  set.pod.metadata = k8s::DecodeMeta(json["metadata"], decoder);
  if (spec.node_selector.size() == 0 && spec.required_affinity.empty()) {
    spec.node_selector = defaults_.node_selector;
    spec.required_affinity = defaults_.required_affinity;
    set.selector_pointer = pointer_;
  }
  if (spec.tolerations.empty()) spec.tolerations = defaults_.tolerations;
  return !spec.containers.empty();
}

std::string_view WorkflowPath(std::string_view path) { return path.substr(0, path.rfind('/')); }

}  // namespace tpu_admission::workload
