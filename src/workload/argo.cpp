#include "workload/argo.h"

#include <algorithm>
#include <array>
#include <string>

#include "tpu_admission/workload/node_selection.h"
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

constexpr std::string_view kDefaults = "templateDefaults";

bool HasPatch(k8s::JsonView json) { return json["podSpecPatch"].has_value(); }

// What these containers ask for is merged into those of each template.
bool HaveResources(k8s::JsonView defaults) {
  return defaults["container"]["resources"].present() ||
         defaults["script"]["resources"].present() || defaults["containerSet"].present();
}

// Whether `own` says all that `other` says, so that nothing of `other` is merged into it.
bool Covers(const k8s::PodSpec& own, const k8s::PodSpec& other) {
  if (own.required_affinity.empty() && !other.required_affinity.empty()) return false;
  for (std::size_t i = 0; i < other.node_selector.size(); ++i) {
    if (!own.node_selector.Has(other.node_selector.Key(i))) return false;
  }
  return true;
}

// A template or its defaults replace what the workflow says of one field, and leave the other.
bool LeavesHalf(const k8s::PodSpec& own, const k8s::PodSpec& workflow) {
  const bool selector = own.node_selector.size() == 0 && workflow.node_selector.size() > 0;
  const bool affinity = own.required_affinity.empty() && !workflow.required_affinity.empty();
  return selector || affinity;
}

// Tolerations are merged by their keys, and never taken away.
std::span<const k8s::Toleration> Joined(std::span<const k8s::Toleration> a,
                                        std::span<const k8s::Toleration> b, k8s::Arena& arena) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  const std::span<k8s::Toleration> all = arena.Array<k8s::Toleration>(a.size() + b.size());
  std::copy(b.begin(), b.end(), std::copy(a.begin(), a.end(), all.begin()));
  return all;
}

}  // namespace

ArgoWorkflow::ArgoWorkflow(k8s::JsonView object, std::string_view path, k8s::Decoder& decoder) {
  const std::string pointer = PointerAt(object, WorkflowPath(path), {});
  const k8s::JsonView workflow = Locate(object, WorkflowPath(path), {});
  const k8s::JsonView defaults = workflow[kDefaults];
  const std::size_t before = decoder.entries();
  // A workflow has volumes and selectors as a pod has, but no containers.
  workflow_ = {k8s::DecodePodSpec(workflow, decoder, {}), decoder.arena().Text(pointer)};
  if (defaults.present()) {
    const std::string below = std::string(pointer).append("/").append(kDefaults);
    defaults_ = {k8s::DecodePodSpec(defaults, decoder, {}), decoder.arena().Text(below)};
  }
  is_patched_ = HasPatch(workflow) || HasPatch(defaults) || HaveResources(defaults);
  entries_ = decoder.entries() - before;
}

void ArgoWorkflow::TakeSelectors(PodSet& set, const Source& source) {
  set.pod.spec.node_selector = source.spec.node_selector;
  set.pod.spec.required_affinity = source.spec.required_affinity;
  set.selector_pointer = source.pointer;
}

bool ArgoWorkflow::Read(PodSet& set, k8s::JsonView json, k8s::Decoder& decoder) const {
  k8s::PodSpec& spec = set.pod.spec;
  spec = k8s::DecodePodSpec(json, decoder, kTemplateLists);
  set.pod.metadata = k8s::DecodeMeta(json["metadata"], decoder);
  set.is_patched = is_patched_ || HasPatch(json);
  if (!SelectsNodes(spec)) {
    if (SelectsNodes(defaults_.spec)) TakeSelectors(set, defaults_);
  } else if (!Covers(spec, defaults_.spec)) {
    set.is_patched = true;
  }
  if (!SelectsNodes(spec)) {
    TakeSelectors(set, workflow_);
  } else if (LeavesHalf(spec, workflow_.spec)) {
    set.is_patched = true;
  }
  spec.tolerations = Joined(spec.tolerations, defaults_.spec.tolerations, decoder.arena());
  if (spec.tolerations.empty()) spec.tolerations = workflow_.spec.tolerations;
  return !spec.containers.empty();
}

std::string_view WorkflowPath(std::string_view path) { return path.substr(0, path.rfind('/')); }

}  // namespace tpu_admission::workload
