#include "workload/pod_set_reader.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tpu_admission/base/json_pointer.h"
#include "workload/scale.h"

namespace tpu_admission::workload {
namespace {

using k8s::JsonView;
using Read = Result<std::optional<PodSet>>;

constexpr std::string_view kSkipChecks = "cloud.google.com/skip-tpu-webhook-check";
constexpr std::string_view kTpuDriver = "tpu.google.com";

std::optional<TpuUse> UseOf(const PodSet& set) {
  const k8s::PodSpec& spec = set.pod.spec;
  const auto any = [&](bool (*uses)(const k8s::Container&)) {
    return std::any_of(spec.containers.begin(), spec.containers.end(), uses);
  };
  if (any(UsesTpu)) return TpuUse::kChips;
  if (any(UsesLegacyTpu)) return TpuUse::kLegacy;
  if (SelectsTpus(spec) || set.SliceTopology()) {
    return spec.has_resource_claims ? TpuUse::kClaims : TpuUse::kSelects;
  }
  const bool tolerates =
      std::any_of(spec.tolerations.begin(), spec.tolerations.end(),
                  [](const k8s::Toleration& t) { return t.key == kTpuResource; });
  return tolerates ? std::optional(TpuUse::kTolerates) : std::nullopt;
}

std::string_view Below(std::string_view pointer, std::string_view key, k8s::Arena& arena) {
  std::string text(pointer);
  AppendPointerToken(text, key);
  return arena.Text(text);
}

// "spec/jobTemplate/spec" has its metadata at "spec/jobTemplate/metadata".
std::string MetadataBeside(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string parent(slash == path.npos ? "" : path.substr(0, slash + 1));
  return parent + "metadata";
}

// Everything but the pod itself, for a set of pods.
void Complete(PodSet& set, JsonView object, const Binding& binding, k8s::Arena& arena) {
  const PodSetRow& row = *set.row;
  set.pointer = arena.Text(PointerAt(object, row.path, binding));
  const bool has_metadata = row.form == Form::kPod;
  set.spec_pointer = has_metadata ? Below(set.pointer, "spec", arena) : set.pointer;
  if (set.selector_pointer.empty()) set.selector_pointer = set.spec_pointer;
  set.name = Locate(object, row.name, binding).StringOr("");
  set.chips_per_pod = ChipsPerPod(set.pod.spec);
  set.nodes = SelectNodes(set.pod.spec, arena);
  set.scale = ReadScale(row, object, binding, arena);
  if (!row.counts.empty()) {
    set.claim_templates =
        k8s::ClaimTemplates(Locate(object, row.counts, binding)["volumeClaimTemplates"]);
    const JsonView metadata = Locate(object, MetadataBeside(row.counts), binding);
    set.job_labels = k8s::StringMap(metadata["labels"]);
    set.job_annotations = k8s::StringMap(metadata["annotations"]);
  }
  set.skips_checks = set.pod.metadata.annotations.Find(kSkipChecks) == "true" ||
                     object["metadata"]["annotations"][kSkipChecks].AsString() == "true";
}

Read ReadPod(PodSet set, JsonView object, JsonView at, const Binding& binding, k8s::Arena& arena) {
  if (set.row->form == Form::kPod) {
    Result<k8s::Pod> pod = k8s::DecodePod(at, arena);
    if (!pod) return pod.error();
    set.pod = *pod;
  } else {
    Result<k8s::PodSpec> spec = k8s::DecodePodSpec(at, arena);
    if (!spec) return spec.error();
    set.pod.spec = *spec;
  }
  const std::optional<TpuUse> use = UseOf(set);
  if (!use) return std::optional<PodSet>();
  set.use = *use;
  Complete(set, object, binding, arena);
  return std::optional(set);
}

// A template takes from its workflow what it does not say itself.
// https://argo-workflows.readthedocs.io/en/latest/fields/#workflowspec
Read ReadArgoTemplate(PodSet set, JsonView object, JsonView at, const Binding& binding,
                      k8s::Arena& arena) {
  Result<k8s::PodSpec> own = k8s::DecodePodSpec(at, arena, k8s::ContainerLists::kArgoTemplate);
  if (!own) return own.error();
  set.pod.spec = *own;
  set.pod.metadata = k8s::DecodeMeta(at["metadata"]);
  const std::string_view workflow = set.row->path.substr(0, set.row->path.rfind('/'));
  Result<k8s::PodSpec> defaults =
      k8s::DecodePodSpec(Locate(object, workflow, {}), arena, k8s::ContainerLists::kArgoTemplate);
  if (!defaults) return defaults.error();
  k8s::PodSpec& spec = set.pod.spec;
  if (spec.node_selector.size() == 0 && spec.required_affinity.empty()) {
    spec.node_selector = defaults->node_selector;
    spec.required_affinity = defaults->required_affinity;
    set.selector_pointer = arena.Text(PointerAt(object, workflow, {}));
  }
  if (spec.tolerations.empty()) spec.tolerations = defaults->tolerations;
  // A step without a container of its own is no pod.
  if (spec.containers.empty()) return std::optional<PodSet>();
  const std::optional<TpuUse> use = UseOf(set);
  if (!use) return std::optional<PodSet>();
  set.use = *use;
  Complete(set, object, binding, arena);
  return std::optional(set);
}

// A set without pods: labels by name, each with the member of `at` that holds it.
struct Member {
  std::string_view name;
  NodeLabel label;
};

Read ReadChoice(PodSet set, JsonView object, JsonView at, const Binding& binding,
                std::span<const Member> members, k8s::Arena& arena) {
  set.use = TpuUse::kChoice;
  set.pointer = arena.Text(PointerAt(object, set.row->path, binding));
  set.spec_pointer = set.selector_pointer = set.pointer;
  set.scale.counting = Counting::kElsewhere;
  std::vector<NamedLabel> labels;
  for (const Member& member : members) {
    const JsonView value = at[member.name];
    if (!value.has_value()) continue;
    const auto number = value.AsInteger();
    const std::string_view text = number ? arena.Text(std::to_string(*number)) : value.StringOr("");
    if (member.label == NodeLabel::kAcceleratorCount) set.chips_per_pod = number.value_or(0);
    labels.push_back({member.label, text, Below(set.pointer, member.name, arena)});
  }
  set.nodes = SelectByName(labels, arena);
  return std::optional(set);
}

constexpr Member kTpuPriority[] = {{"type", NodeLabel::kAccelerator},
                                   {"topology", NodeLabel::kTopology},
                                   {"count", NodeLabel::kAcceleratorCount}};
constexpr Member kPathwaysWorker[] = {{"type", NodeLabel::kMachineType},
                                      {"topology", NodeLabel::kTopology}};

Read ReadNodeLabels(const PodSet& set, JsonView object, JsonView at, const Binding& binding,
                    k8s::Arena& arena) {
  const bool names_tpu =
      at[Key(NodeLabel::kAccelerator)].has_value() || at[Key(NodeLabel::kTopology)].has_value();
  if (!names_tpu) return std::optional<PodSet>();
  std::vector<Member> members;
  for (std::size_t i = 0; i < kNodeLabels.size(); ++i) {
    members.push_back({kNodeLabels[i], static_cast<NodeLabel>(i)});
  }
  return ReadChoice(set, object, at, binding, members, arena);
}

// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-v1/: v1 and
// v1beta2 have the request under `exactly`, v1beta1 has it plain.
Read ReadDeviceClaim(PodSet set, JsonView object, JsonView at, const Binding& binding,
                     k8s::Arena& arena) {
  const JsonView requests = at["devices"]["requests"];
  const std::span<DeviceRequest> found = arena.Array<DeviceRequest>(requests.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const JsonView request = requests.Element(i);
    const JsonView exactly = request["exactly"].is_object() ? request["exactly"] : request;
    if (exactly["deviceClassName"].StringOr("") != kTpuDriver) continue;
    found[count++] = {i, request["name"].StringOr(""),
                      exactly["allocationMode"].StringOr("") == "All",
                      exactly["count"].AsInteger().value_or(1), exactly["selectors"].size() > 0};
  }
  if (count == 0) return std::optional<PodSet>();
  set.use = TpuUse::kDeviceClaim;
  set.pointer = arena.Text(PointerAt(object, set.row->path, binding));
  set.spec_pointer = set.selector_pointer = set.pointer;
  set.scale.counting = Counting::kElsewhere;
  set.device_requests = found.first(count);
  return std::optional(set);
}

}  // namespace

Read ReadPodSet(const PodSetRow& row, JsonView object, JsonView at, const Binding& binding,
                k8s::Arena& arena) {
  PodSet set;
  set.row = &row;
  switch (row.form) {
    case Form::kPod:
    case Form::kPodSpec:
      return ReadPod(set, object, at, binding, arena);
    case Form::kArgoTemplate:
      return ReadArgoTemplate(set, object, at, binding, arena);
    case Form::kNodeLabels:
      return ReadNodeLabels(set, object, at, binding, arena);
    case Form::kTpuPriority:
      return ReadChoice(set, object, at, binding, kTpuPriority, arena);
    case Form::kPathwaysWorker:
      return ReadChoice(set, object, at, binding, kPathwaysWorker, arena);
    case Form::kDeviceClaim:
      return ReadDeviceClaim(set, object, at, binding, arena);
  }
  return std::optional<PodSet>();
}

}  // namespace tpu_admission::workload
