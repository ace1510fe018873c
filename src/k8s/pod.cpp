#include "tpu_admission/k8s/pod.h"

#include <algorithm>
#include <array>

#include "tpu_admission/k8s/gvk.h"

namespace tpu_admission::k8s {
namespace {

constexpr std::size_t kMaxAlternatives = 100;  // terms, and requirements of one
constexpr std::size_t kMaxTolerations = 200;
constexpr std::size_t kMaxVolumes = 500;
constexpr std::size_t kMaxClaims = 100;
constexpr std::size_t kMaxOwners = 100;

constexpr std::array<ContainerList, 3> kPodLists = {
    {{"initContainers", ContainerRole::kInit},
     {"containers", ContainerRole::kMain},
     {"ephemeralContainers", ContainerRole::kEphemeral}}};

NodeSelectorRequirement DecodeRequirement(JsonView json, Decoder& decoder) {
  NodeSelectorRequirement requirement;
  requirement.key = decoder.String(json, "key");
  requirement.op = decoder.String(json, "operator");
  const JsonView values = decoder.List(json, "values");
  const std::span<std::string_view> texts = decoder.arena().Array<std::string_view>(values.size());
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = values.Element(i).StringOr("");
  requirement.values = texts;
  return requirement;
}

std::span<const NodeSelectorTerm> DecodeAffinity(JsonView spec, Decoder& decoder) {
  const JsonView node = decoder.Object(decoder.Object(spec, "affinity"), "nodeAffinity");
  const JsonView required = decoder.Object(node, "requiredDuringSchedulingIgnoredDuringExecution");
  const JsonView list = decoder.List(required, "nodeSelectorTerms", kMaxAlternatives);
  const std::span<NodeSelectorTerm> terms = decoder.arena().Array<NodeSelectorTerm>(list.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const JsonView term = decoder.ObjectElement(list.Element(i), "nodeSelectorTerms");
    const JsonView expressions = decoder.List(term, "matchExpressions", kMaxAlternatives);
    const auto requirements = decoder.arena().Array<NodeSelectorRequirement>(expressions.size());
    for (std::size_t j = 0; j < requirements.size(); ++j) {
      const JsonView json = decoder.ObjectElement(expressions.Element(j), "matchExpressions");
      requirements[j] = DecodeRequirement(json, decoder);
    }
    terms[i].requirements = requirements;
  }
  return terms;
}

std::span<const Toleration> DecodeTolerations(JsonView spec, Decoder& decoder) {
  const JsonView list = decoder.List(spec, "tolerations", kMaxTolerations);
  const std::span<Toleration> tolerations = decoder.arena().Array<Toleration>(list.size());
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const JsonView json = decoder.ObjectElement(list.Element(i), "tolerations");
    tolerations[i] = {decoder.String(json, "key"), decoder.String(json, "operator"),
                      decoder.String(json, "value"), decoder.String(json, "effect")};
  }
  return tolerations;
}

// Its source is the member beside the name.
std::string_view SourceOf(JsonView volume) {
  std::string_view source;
  for (std::size_t i = 0; i < volume.size(); ++i) {
    const std::string_view key = volume.MemberKey(i);
    if (key != "name" && volume.Member(i).is_object()) source = key;
  }
  return source;
}

Volume DecodeVolume(JsonView element, Decoder& decoder) {
  const JsonView json = decoder.Fits(element, "a volume") ? element : JsonView();
  Volume volume;
  volume.name = decoder.Name(json);
  volume.source = SourceOf(json);
  if (volume.source == "ephemeral") {
    volume.storage_class =
        json.Follow("ephemeral/volumeClaimTemplate/spec/storageClassName").StringOr("");
  } else if (volume.source == "csi") {
    const JsonView csi = json["csi"];
    volume.driver = csi["driver"].StringOr("");
    const JsonView attributes = csi["volumeAttributes"];
    if (decoder.Fits(attributes, "volumeAttributes")) volume.attributes = StringMap(attributes);
  } else if (volume.source == "emptyDir") {
    const JsonView directory = json["emptyDir"];
    if (directory["medium"].StringOr("").empty()) volume.disk_size_limit = directory["sizeLimit"];
  }
  return volume;
}

ClaimReference DecodeClaim(JsonView claim, Decoder& decoder) {
  if (!decoder.Fits(claim, "a resource claim")) return {};
  const std::string_view by_name = claim["resourceClaimName"].StringOr("");
  return {decoder.Name(claim),
          by_name.empty() ? claim["resourceClaimTemplateName"].StringOr("") : by_name};
}

ClaimTemplate DecodeClaimTemplate(JsonView claim, Decoder& decoder) {
  return {decoder.Name(claim["metadata"]), claim["spec"]["storageClassName"].StringOr("")};
}

// Each element of `list`, which is called `key`, as `decode` reads it; nothing if it is no list.
template <typename T>
std::span<const T> DecodeEach(JsonView list, std::string_view key, std::size_t most,
                              T (*decode)(JsonView, Decoder&), Decoder& decoder) {
  if (!list.is_array() || !decoder.Fits(list, key, most)) return {};
  const std::span<T> decoded = decoder.arena().Array<T>(list.size());
  for (std::size_t i = 0; i < decoded.size(); ++i) decoded[i] = decode(list.Element(i), decoder);
  return decoded;
}

}  // namespace

bool Toleration::Tolerates(std::string_view taint_key, std::string_view taint_value,
                           std::string_view taint_effect) const {
  if (!effect.empty() && effect != taint_effect) return false;
  if (op == "Exists") return key.empty() || key == taint_key;
  return (op.empty() || op == "Equal") && key == taint_key && value == taint_value;
}

ObjectMeta DecodeMeta(JsonView json, Decoder& decoder) {
  ObjectMeta meta;
  meta.name = decoder.Name(json);
  meta.generate_name = decoder.Name(json, "generateName");
  meta.namespace_name = decoder.Name(json, "namespace");
  if (!decoder.Fits(json, "metadata")) return meta;
  meta.labels = StringMap(decoder.Labels(json, "labels"));
  meta.annotations = StringMap(decoder.Labels(json, "annotations"));
  meta.being_deleted = json["deletionTimestamp"].has_value();
  meta.stored = !json["resourceVersion"].StringOr("").empty();
  const JsonView owners = json["ownerReferences"];
  if (!decoder.Fits(owners, "ownerReferences", kMaxOwners)) return meta;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const JsonView owner = owners.Element(i);
    if (!decoder.Fits(owner, "an owner") || !owner["controller"].IsTrue()) continue;
    const GroupVersionKind gvk = GvkOf(owner);
    meta.controller_group = gvk.group;
    meta.controller_kind = gvk.kind;
  }
  return meta;
}

std::span<const ClaimTemplate> DecodeClaimTemplates(JsonView holder, Decoder& decoder) {
  return DecodeEach(holder["volumeClaimTemplates"], "volumeClaimTemplates", kMaxClaims,
                    DecodeClaimTemplate, decoder);
}

std::span<const ContainerList> ContainersOfPods() { return kPodLists; }

PodSpec DecodePodSpec(JsonView json, Decoder& decoder, std::span<const ContainerList> lists) {
  PodSpec spec;
  if (!decoder.Fits(json, "the spec of a pod")) return spec;
  spec.json = json;
  spec.containers = DecodeContainers(json, lists, decoder);
  spec.node_selector = StringMap(decoder.Strings(json, "nodeSelector"));
  spec.required_affinity = DecodeAffinity(json, decoder);
  spec.tolerations = DecodeTolerations(json, decoder);
  spec.volumes = DecodeEach(json["volumes"], "volumes", kMaxVolumes, DecodeVolume, decoder);
  spec.resource_claims = DecodeEach(decoder.List(json, "resourceClaims", kMaxClaims), "",
                                    kMaxClaims, DecodeClaim, decoder);
  spec.overhead = DecodeResources(json, "overhead", decoder);
  const JsonView resources = json["resources"];
  spec.has_pod_level_resources = resources.size() > 0;
  if (decoder.Fits(resources, "resources")) {
    spec.requests = DecodeResources(resources, "requests", decoder);
    spec.limits = DecodeResources(resources, "limits", decoder);
  }
  spec.gated = decoder.List(json, "schedulingGates").size() > 0;
  spec.node_name = decoder.String(json, "nodeName");
  return spec;
}

Pod DecodePod(JsonView json, Decoder& decoder) {
  Pod pod;
  if (!decoder.Fits(json, "a pod")) return pod;
  pod.metadata = DecodeMeta(json["metadata"], decoder);
  pod.spec = DecodePodSpec(decoder.Object(json, "spec"), decoder);
  return pod;
}

}  // namespace tpu_admission::k8s
