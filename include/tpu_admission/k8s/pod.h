// The parts of a pod that TPU rules read, decoded from JSON once. Views into the review's JSON and
// arrays in an Arena: everything lives as long as these two. What a pod has beside these parts is
// ignored, so a new Kubernetes field never harms.
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tpu_admission/base/result.h"
#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/gvk.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/k8s/quantity.h"

namespace tpu_admission::k8s {

// A map of strings, such as labels or a nodeSelector, or nothing.
class StringMap {
 public:
  StringMap() = default;
  explicit StringMap(JsonView json) : json_(json) {}
  std::optional<std::string_view> Find(std::string_view key) const { return json_[key].AsString(); }
  bool Has(std::string_view key) const { return json_[key].present(); }
  std::size_t size() const { return json_.size(); }
  std::string_view Key(std::size_t index) const { return json_.MemberKey(index); }

 private:
  JsonView json_;
};

// One amount as written: custom resources carry numbers as well as strings.
struct Amount {
  std::string_view text;             // as written; empty if it was a number
  std::optional<Quantity> quantity;  // empty if it is no quantity
};

// Resource name -> amount, or nothing.
class ResourceList {
 public:
  ResourceList() = default;
  explicit ResourceList(JsonView json) : json_(json) {}
  bool Has(std::string_view resource) const { return json_[resource].has_value(); }
  std::optional<Amount> Find(std::string_view resource) const;
  std::size_t size() const { return json_.size(); }
  std::string_view Name(std::size_t index) const { return json_.MemberKey(index); }
  // The amount if it is there and a quantity, else zero.
  Quantity QuantityOrZero(std::string_view resource) const;

 private:
  JsonView json_;
};

enum class ContainerRole { kInit, kSidecar, kMain, kEphemeral };

struct Container {
  // The index of a container that stands alone, outside a list.
  static constexpr std::size_t kAlone = std::size_t(-1);

  ContainerRole role = ContainerRole::kMain;
  std::string_view list;  // "initContainers", "containers", ...: its path below the pod's spec
  std::size_t index = 0;  // within its list
  std::string_view name;
  ResourceList requests;
  ResourceList limits;
  JsonView json;

  // Runs for the pod's life, beside the other containers: a container or a sidecar.
  bool Stays() const { return role == ContainerRole::kMain || role == ContainerRole::kSidecar; }
  bool IsPrivileged() const { return json["securityContext"]["privileged"].IsTrue(); }
  bool HasHostPort() const;
  bool HasEnv(std::string_view variable) const;
  // The value as written; nothing if the variable is not set, or set from elsewhere (valueFrom).
  std::optional<std::string_view> EnvValue(std::string_view variable) const;
  std::size_t EnvIndex(std::string_view variable) const;  // its place in env, if it is there
  // What counts for the scheduler: the request, or the limit where there is no request.
  std::optional<Amount> Requested(std::string_view resource) const;
};

struct NodeSelectorRequirement {
  std::string_view key;
  std::string_view op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt
  std::span<const std::string_view> values;
};

// All requirements of a term hold together; terms are alternatives.
struct NodeSelectorTerm {
  std::span<const NodeSelectorRequirement> requirements;
};

struct Toleration {
  std::string_view key;
  std::string_view op;  // "" is Equal
  std::string_view value;
  std::string_view effect;  // "" is every effect

  bool Tolerates(std::string_view taint_key, std::string_view taint_value,
                 std::string_view taint_effect) const;
};

// https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#objectmeta-v1-meta
struct ObjectMeta {
  std::string_view name;
  std::string_view generate_name;
  std::string_view namespace_name;
  StringMap labels;
  StringMap annotations;
  bool being_deleted = false;         // has a deletionTimestamp
  bool stored = false;                // has a resourceVersion: it is no new object
  std::string_view controller_group;  // of the owner with controller: true; empty if none
  std::string_view controller_kind;
};
ObjectMeta DecodeMeta(JsonView metadata);

// What TPU rules ask of a volume.
struct Volume {
  std::string_view name;
  std::string_view source;         // "ephemeral", "gcePersistentDisk", "emptyDir", "csi", ...
  std::string_view storage_class;  // of an ephemeral volume's claim; empty if it names none
  std::string_view driver;         // of a CSI volume
  JsonView json;

  std::string_view Attribute(std::string_view attribute) const {  // of a CSI volume
    return json["csi"]["volumeAttributes"][attribute].StringOr("");
  }
  // Of an emptyDir: nothing if it has none, or lies in memory.
  std::optional<Amount> DiskSizeLimit() const;
};

// The volume claims that a StatefulSet or a LeaderWorkerSet makes for each of its pods, or nothing.
class ClaimTemplates {
 public:
  ClaimTemplates() = default;
  explicit ClaimTemplates(JsonView json) : json_(json) {}
  std::size_t size() const { return json_.size(); }
  std::string_view Name(std::size_t index) const {
    return json_.Element(index)["metadata"]["name"].StringOr("");
  }
  // Empty: the cluster's default.
  std::string_view StorageClass(std::size_t index) const {
    return json_.Element(index)["spec"]["storageClassName"].StringOr("");
  }

 private:
  JsonView json_;
};

// A resource claim as a pod refers to it: by a name of its own, and by the claim or its template.
struct ClaimReference {
  std::string_view name;
  std::string_view source;
};

struct PodSpec {
  std::span<const Container> containers;  // of every role, in the order they stand
  StringMap node_selector;
  std::span<const NodeSelectorTerm> required_affinity;  // empty: none
  std::span<const Toleration> tolerations;
  ResourceList overhead;
  bool has_pod_level_resources = false;
  bool has_resource_claims = false;
  bool gated = false;  // has scheduling gates
  std::string_view node_name;
  JsonView json;

  // What only a few rules ask, read when asked.
  bool UsesHostNetwork() const { return json["hostNetwork"].IsTrue(); }
  bool UsesHostPid() const { return json["hostPID"].IsTrue(); }
  std::string_view Text(std::string_view field) const { return json[field].StringOr(""); }
  std::optional<std::int64_t> Integer(std::string_view field) const {
    return json[field].AsInteger();
  }
  std::size_t VolumeCount() const { return json["volumes"].size(); }
  Volume VolumeAt(std::size_t index) const;
  std::size_t ClaimCount() const { return json["resourceClaims"].size(); }
  ClaimReference ClaimAt(std::size_t index) const;
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
};

// Where the containers of a pod's spec stand.
enum class ContainerLists {
  kPod,           // containers, initContainers, ephemeralContainers
  kArgoTemplate,  // container or script alone, containerSet/containers, initContainers, sidecars
};

// Decodes the spec of a pod. Errors as of DecodePod().
Result<PodSpec> DecodePodSpec(JsonView json, Arena& arena,
                              ContainerLists lists = ContainerLists::kPod);

// Decodes a pod, or the template of one. An error names the field that has an impossible JSON type
// ("spec.containers is not a list"); the API server never sends such an object.
Result<Pod> DecodePod(JsonView json, Arena& arena);

}  // namespace tpu_admission::k8s
