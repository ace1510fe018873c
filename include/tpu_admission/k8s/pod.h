// The parts of a pod that TPU rules read, decoded from JSON once. Views into the review's JSON and
// arrays in an Arena: everything lives as long as these two. What a pod has beside these parts is
// ignored, so a new Kubernetes field never harms.
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tpu_admission/k8s/container.h"
#include "tpu_admission/k8s/decoder.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/k8s/resources.h"

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
  std::optional<std::string_view> Value(std::size_t index) const {
    return json_.Member(index).AsString();
  }

 private:
  JsonView json_;
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
ObjectMeta DecodeMeta(JsonView metadata, Decoder& decoder);

// What TPU rules ask of a volume.
struct Volume {
  std::string_view name;
  std::string_view source;         // "ephemeral", "gcePersistentDisk", "emptyDir", "csi", ...
  std::string_view storage_class;  // of an ephemeral volume's claim; empty if it names none
  std::string_view driver;         // of a CSI volume
  StringMap attributes;            // of a CSI volume
  JsonView disk_size_limit;        // of an emptyDir that does not lie in memory

  std::string_view Attribute(std::string_view attribute) const {
    return attributes.Find(attribute).value_or("");
  }
  std::optional<Amount> DiskSizeLimit() const { return DecodeAmount(disk_size_limit); }
};

// A volume claim that a StatefulSet or a LeaderWorkerSet makes for each of its pods.
struct ClaimTemplate {
  std::string_view name;
  std::string_view storage_class;  // empty: the cluster's default
};
// The member `volumeClaimTemplates` of `holder`.
std::span<const ClaimTemplate> DecodeClaimTemplates(JsonView holder, Decoder& decoder);

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
  std::span<const Volume> volumes;
  std::span<const ClaimReference> resource_claims;
  ResourceList overhead;
  // Of the pod as a whole.
  // https://kubernetes.io/docs/tasks/configure-pod-container/assign-pod-level-resources/
  ResourceList requests;
  ResourceList limits;
  bool has_pod_level_resources = false;
  bool gated = false;  // has scheduling gates
  std::string_view node_name;
  JsonView json;

  // What only a few rules ask, read when asked, of at most Decoder::kMost members.
  bool UsesHostNetwork() const { return json["hostNetwork"].IsTrue(); }
  bool UsesHostPid() const { return json["hostPID"].IsTrue(); }
  std::string_view Text(std::string_view field) const { return json[field].StringOr(""); }
  std::optional<std::int64_t> Integer(std::string_view field) const {
    return json[field].AsInteger();
  }
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
};

// containers, initContainers, ephemeralContainers
std::span<const ContainerList> ContainersOfPods();

// The spec of a pod, or something else that selects nodes, with containers in other places.
PodSpec DecodePodSpec(JsonView json, Decoder& decoder,
                      std::span<const ContainerList> lists = ContainersOfPods());

// A pod, or the template of one. Good only if `decoder` has no error and exceeded nothing.
Pod DecodePod(JsonView json, Decoder& decoder);

}  // namespace tpu_admission::k8s
