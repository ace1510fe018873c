#include "tpu_admission/k8s/pod.h"

#include <array>
#include <charconv>
#include <string>

namespace tpu_admission::k8s {
namespace {

// Reads typed members and remembers the first one whose JSON type is impossible.
class Reader {
 public:
  explicit Reader(Arena& arena) : arena_(arena) {}

  Arena& arena() { return arena_; }
  const std::optional<Error>& error() const { return error_; }

  JsonView List(JsonView parent, std::string_view key) {
    return Typed(parent, key, &JsonView::is_array, "is not a list");
  }
  JsonView Object(JsonView parent, std::string_view key) {
    return Typed(parent, key, &JsonView::is_object, "is not a map");
  }
  // `value`, an element of the list `key`, as an object.
  JsonView ObjectElement(JsonView value, std::string_view key) {
    if (value.is_object()) return value;
    Fail(key, "has an element that is not a map");
    return {};
  }
  // A map whose values are strings: `topology: 0x4` without quotes is a number in YAML.
  JsonView Strings(JsonView parent, std::string_view key) {
    const JsonView map = Object(parent, key);
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (!map.Member(i).AsString()) Fail(key, "has a value that is not a string; quote it");
    }
    return map;
  }
  std::string_view String(JsonView parent, std::string_view key) {
    const JsonView value = parent[key];
    const std::optional<std::string_view> text = value.AsString();
    if (!text && value.has_value()) Fail(key, "is not a string");
    return text.value_or("");
  }

 private:
  JsonView Typed(JsonView parent, std::string_view key, bool (JsonView::*is)() const,
                 const char* wanted) {
    const JsonView value = parent[key];
    if (!value.has_value()) return {};
    if ((value.*is)()) return value;
    Fail(key, wanted);
    return {};
  }
  void Fail(std::string_view key, std::string_view what) {
    if (!error_) error_ = Error{std::string(key).append(" ").append(what)};
  }

  Arena& arena_;
  std::optional<Error> error_;
};

// One list of containers: its path below the pod's spec, and what stands in it.
struct ContainerList {
  std::string_view path;
  ContainerRole role;
  bool alone = false;  // no list: one container
};
constexpr std::array<ContainerList, 3> kPodLists = {
    {{"initContainers", ContainerRole::kInit},
     {"containers", ContainerRole::kMain},
     {"ephemeralContainers", ContainerRole::kEphemeral}}};
// https://argo-workflows.readthedocs.io/en/latest/fields/#template
constexpr std::array<ContainerList, 5> kArgoLists = {
    {{"initContainers", ContainerRole::kInit},
     {"container", ContainerRole::kMain, true},
     {"script", ContainerRole::kMain, true},
     {"containerSet/containers", ContainerRole::kMain},
     {"sidecars", ContainerRole::kMain}}};

Container DecodeContainer(Reader& reader, JsonView json, const ContainerList& list,
                          std::size_t index) {
  Container container;
  container.list = list.path;
  container.index = index;
  container.json = reader.ObjectElement(json, list.path);
  container.name = reader.String(json, "name");
  const JsonView resources = reader.Object(json, "resources");
  container.requests = ResourceList(reader.Object(resources, "requests"));
  container.limits = ResourceList(reader.Object(resources, "limits"));
  reader.List(json, "env");
  const bool sidecar =
      list.role == ContainerRole::kInit && json["restartPolicy"].StringOr("") == "Always";
  container.role = sidecar ? ContainerRole::kSidecar : list.role;
  return container;
}

JsonView Find(Reader& reader, JsonView spec, const ContainerList& list) {
  if (list.alone) return reader.Object(spec, list.path);
  const std::size_t slash = list.path.find('/');
  if (slash == list.path.npos) return reader.List(spec, list.path);
  return reader.List(spec[list.path.substr(0, slash)], list.path.substr(slash + 1));
}

std::span<const Container> DecodeContainers(Reader& reader, JsonView spec,
                                            std::span<const ContainerList> lists) {
  std::array<JsonView, kArgoLists.size()> found;
  std::size_t count = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    found[i] = Find(reader, spec, lists[i]);
    count += lists[i].alone ? std::size_t{found[i].present()} : found[i].size();
  }
  const std::span<Container> containers = reader.arena().Array<Container>(count);
  std::size_t next = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].alone) {
      if (!found[i].present()) continue;
      containers[next++] = DecodeContainer(reader, found[i], lists[i], Container::kAlone);
      continue;
    }
    for (std::size_t j = 0; j < found[i].size(); ++j) {
      containers[next++] = DecodeContainer(reader, found[i].Element(j), lists[i], j);
    }
  }
  return containers;
}

NodeSelectorRequirement DecodeRequirement(Reader& reader, JsonView json) {
  NodeSelectorRequirement requirement;
  requirement.key = reader.String(json, "key");
  requirement.op = reader.String(json, "operator");
  const JsonView values = reader.List(json, "values");
  const std::span<std::string_view> texts = reader.arena().Array<std::string_view>(values.size());
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = values.Element(i).StringOr("");
  requirement.values = texts;
  return requirement;
}

std::span<const NodeSelectorTerm> DecodeAffinity(Reader& reader, JsonView spec) {
  const JsonView node = reader.Object(reader.Object(spec, "affinity"), "nodeAffinity");
  const JsonView required = reader.Object(node, "requiredDuringSchedulingIgnoredDuringExecution");
  const JsonView list = reader.List(required, "nodeSelectorTerms");
  const std::span<NodeSelectorTerm> terms = reader.arena().Array<NodeSelectorTerm>(list.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const JsonView term = reader.ObjectElement(list.Element(i), "nodeSelectorTerms");
    const JsonView expressions = reader.List(term, "matchExpressions");
    const auto requirements = reader.arena().Array<NodeSelectorRequirement>(expressions.size());
    for (std::size_t j = 0; j < requirements.size(); ++j) {
      const JsonView json = reader.ObjectElement(expressions.Element(j), "matchExpressions");
      requirements[j] = DecodeRequirement(reader, json);
    }
    terms[i].requirements = requirements;
  }
  return terms;
}

std::span<const Toleration> DecodeTolerations(Reader& reader, JsonView spec) {
  const JsonView list = reader.List(spec, "tolerations");
  const std::span<Toleration> tolerations = reader.arena().Array<Toleration>(list.size());
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const JsonView json = reader.ObjectElement(list.Element(i), "tolerations");
    tolerations[i] = {reader.String(json, "key"), reader.String(json, "operator"),
                      reader.String(json, "value"), reader.String(json, "effect")};
  }
  return tolerations;
}

PodSpec DecodeSpec(Reader& reader, JsonView json, ContainerLists lists) {
  PodSpec spec;
  spec.json = json;
  spec.containers = lists == ContainerLists::kPod ? DecodeContainers(reader, json, kPodLists)
                                                  : DecodeContainers(reader, json, kArgoLists);
  spec.node_selector = StringMap(reader.Strings(json, "nodeSelector"));
  spec.required_affinity = DecodeAffinity(reader, json);
  spec.tolerations = DecodeTolerations(reader, json);
  spec.overhead = ResourceList(reader.Object(json, "overhead"));
  spec.has_pod_level_resources = json["resources"].size() > 0;
  spec.has_resource_claims = reader.List(json, "resourceClaims").size() > 0;
  spec.gated = reader.List(json, "schedulingGates").size() > 0;
  spec.node_name = reader.String(json, "nodeName");
  return spec;
}

}  // namespace

std::optional<Amount> ResourceList::Find(std::string_view resource) const {
  const JsonView value = json_[resource];
  if (!value.has_value()) return std::nullopt;
  if (const auto text = value.AsString()) return Amount{*text, Quantity::Parse(*text)};
  if (const auto units = value.AsInteger()) return Amount{"", Quantity::FromUnits(*units)};
  if (const auto number = value.AsDouble()) {
    std::array<char, 400> digits;
    const auto end = std::to_chars(digits.begin(), digits.end(), *number, std::chars_format::fixed);
    return Amount{"", Quantity::Parse({digits.data(), std::size_t(end.ptr - digits.data())})};
  }
  return Amount{};
}

Quantity ResourceList::QuantityOrZero(std::string_view resource) const {
  const std::optional<Amount> amount = Find(resource);
  return amount ? amount->quantity.value_or(Quantity()) : Quantity();
}

std::size_t Container::EnvIndex(std::string_view variable) const {
  const JsonView env = json["env"];
  std::size_t place = 0;
  while (place < env.size() && env.Element(place)["name"].AsString() != variable) ++place;
  return place;
}

bool Container::HasHostPort() const {
  const JsonView ports = json["ports"];
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports.Element(i)["hostPort"].AsInteger().value_or(0) != 0) return true;
  }
  return false;
}

bool Container::HasEnv(std::string_view variable) const {
  return EnvIndex(variable) < json["env"].size();
}

std::optional<std::string_view> Container::EnvValue(std::string_view variable) const {
  return json["env"].Element(EnvIndex(variable))["value"].AsString();
}

std::optional<Amount> Container::Requested(std::string_view resource) const {
  std::optional<Amount> amount = requests.Find(resource);
  return amount ? amount : limits.Find(resource);
}

bool Toleration::Tolerates(std::string_view taint_key, std::string_view taint_value,
                           std::string_view taint_effect) const {
  if (!effect.empty() && effect != taint_effect) return false;
  if (op == "Exists") return key.empty() || key == taint_key;
  return (op.empty() || op == "Equal") && key == taint_key && value == taint_value;
}

ObjectMeta DecodeMeta(JsonView json) {
  ObjectMeta meta;
  meta.name = json["name"].StringOr("");
  meta.generate_name = json["generateName"].StringOr("");
  meta.namespace_name = json["namespace"].StringOr("");
  meta.labels = StringMap(json["labels"]);
  meta.annotations = StringMap(json["annotations"]);
  meta.being_deleted = json["deletionTimestamp"].has_value();
  meta.stored = !json["resourceVersion"].StringOr("").empty();
  const JsonView owners = json["ownerReferences"];
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const JsonView owner = owners.Element(i);
    if (!owner["controller"].IsTrue()) continue;
    const GroupVersionKind gvk = GvkOf(owner);
    meta.controller_group = gvk.group;
    meta.controller_kind = gvk.kind;
  }
  return meta;
}

GroupVersionKind GvkOf(JsonView object) {
  const std::string_view api_version = object["apiVersion"].StringOr("");
  const std::string_view kind = object["kind"].StringOr("");
  const std::size_t slash = api_version.find('/');
  if (slash == api_version.npos) return {"", api_version, kind};
  return {api_version.substr(0, slash), api_version.substr(slash + 1), kind};
}

Volume PodSpec::VolumeAt(std::size_t index) const {
  const JsonView volume = json["volumes"].Element(index);
  Volume found;
  found.json = volume;
  found.name = volume["name"].StringOr("");
  for (std::size_t i = 0; i < volume.size(); ++i) {
    if (volume.MemberKey(i) != "name" && volume.Member(i).is_object())
      found.source = volume.MemberKey(i);
  }
  found.storage_class =
      volume.Follow("ephemeral/volumeClaimTemplate/spec/storageClassName").StringOr("");
  found.driver = volume["csi"]["driver"].StringOr("");
  return found;
}

ClaimReference PodSpec::ClaimAt(std::size_t index) const {
  const JsonView claim = json["resourceClaims"].Element(index);
  const std::string_view by_name = claim["resourceClaimName"].StringOr("");
  return {claim["name"].StringOr(""),
          by_name.empty() ? claim["resourceClaimTemplateName"].StringOr("") : by_name};
}

std::optional<Amount> Volume::DiskSizeLimit() const {
  const JsonView directory = json["emptyDir"];
  if (!directory["medium"].StringOr("").empty()) return std::nullopt;
  return ResourceList(directory).Find("sizeLimit");
}

Result<PodSpec> DecodePodSpec(JsonView json, Arena& arena, ContainerLists lists) {
  Reader reader(arena);
  PodSpec spec = DecodeSpec(reader, json, lists);
  if (reader.error()) return *reader.error();
  return spec;
}

Result<Pod> DecodePod(JsonView json, Arena& arena) {
  Reader reader(arena);
  Pod pod;
  pod.metadata = DecodeMeta(json["metadata"]);
  pod.spec = DecodeSpec(reader, reader.Object(json, "spec"), ContainerLists::kPod);
  if (reader.error()) return *reader.error();
  return pod;
}

}  // namespace tpu_admission::k8s
