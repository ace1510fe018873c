// Which nodes a pod may go to, by the labels that matter for TPUs: nodeSelector and the required
// node affinity, worked out into alternatives.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/pod.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::workload {

// The node labels that GKE's scheduler matches TPU pods by.
enum class NodeLabel { kAccelerator, kTopology, kAcceleratorCount, kMachineType, kZone, kRegion };
inline constexpr std::array<std::string_view, 6> kNodeLabels = {
    kGkeTpuAccelerator, kGkeTpuTopology, kGkeAcceleratorCount,
    kInstanceTypeLabel, kZoneLabel,      kRegionLabel};
inline std::string_view Key(NodeLabel label) {
  return kNodeLabels[static_cast<std::size_t>(label)];
}

// What one alternative says about one label.
struct Selected {
  enum class State {
    kFree,    // nothing is said
    kFixed,   // exactly `value`
    kOpaque,  // something that cannot be judged: NotIn, Exists, Gt, a template placeholder
  };
  static constexpr std::size_t kInNodeSelector = std::size_t(-1);

  State state = State::kFree;
  std::string_view value;
  std::size_t term = kInNodeSelector;  // else where it stands in the required affinity
  std::size_t expression = 0;
  std::string_view pointer = {};  // where it stands, if that is no pod's node selection

  bool fixed() const { return state == State::kFixed; }
  bool free() const { return state == State::kFree; }
};

// One way to satisfy the pod: a value (or none) for each label.
struct NodeChoice {
  std::array<Selected, kNodeLabels.size()> labels;

  const Selected& operator[](NodeLabel label) const {
    return labels[static_cast<std::size_t>(label)];
  }
};

struct NodeSelection {
  // The alternatives. Empty if no node can ever match (`contradiction`), or if there are more than
  // kMaxChoices, which is more than can be judged one by one (`too_many`).
  static constexpr std::size_t kMaxChoices = 32;
  std::span<const NodeChoice> choices;

  bool too_many = false;
  bool contradiction = false;  // every term asks for two values of one label at once
  NodeLabel contradicting{};   // the label, and both values, of the first such term
  std::string_view one_value;
  std::string_view other_value;

  // Some other selector can choose a TPU node without accelerator and topology: compute class, node
  // pool, reservation or machine type.
  bool by_other_means = false;
};

NodeSelection SelectNodes(const k8s::PodSpec& spec, k8s::Arena& arena);

// Whether the pods of two selections go to nodes of one accelerator and topology. Maybe: where one
// of several alternatives is such, or where a compute class, a node pool or an operator such as
// NotIn leaves open which nodes they are.
enum class Together { kNo, kMaybe, kYes };
Together GoTogether(const NodeSelection& a, const NodeSelection& b);

// True if the selection names a TPU: an accelerator or a topology, by whatever operator.
bool SelectsTpus(const k8s::PodSpec& spec);
// Whether it says anything of its nodes, by nodeSelector or a required affinity.
bool SelectsNodes(const k8s::PodSpec& spec);

// Where something else than a pod names the nodes: the value of a label and the JSON pointer of
// where it stands.
struct NamedLabel {
  NodeLabel label;
  std::string_view value;
  std::string_view pointer;
};
// All `labels` together, with each of the `zones`; without zones one alternative.
NodeSelection SelectByName(std::span<const NamedLabel> labels, std::span<const NamedLabel> zones,
                           k8s::Arena& arena);

// The JSON pointer, below the spec of the pod, of what fixes `label`; of nodeSelector if nothing
// does.
std::string PointerOf(NodeLabel label, const Selected& selected);

// What a pod requires of one label of its nodes, whichever label that is.
struct RequiredLabel {
  std::string_view key;
  // The value that nodeSelector names, or else the one that all terms of the required affinity name
  // by In. Empty, and not `fixed`, if there are several or none, or if it is a template
  // placeholder.
  std::string_view value = {};
  bool fixed = false;
  std::size_t term = Selected::kInNodeSelector;
  std::size_t expression = 0;

  bool Is(std::string_view wanted) const { return fixed && value == wanted; }
};
// Nothing if neither nodeSelector nor the required affinity speaks of the label.
std::optional<RequiredLabel> FindRequired(const k8s::PodSpec& spec, std::string_view key);
// Whether it has a value such as tpu-v4-podslice, whatever the key is.
inline bool NamesTpu(const RequiredLabel& label) {
  return label.fixed && label.value.starts_with("tpu");
}
// Its JSON pointer below the spec of the pod.
std::string PointerOf(const RequiredLabel& label);

// A value that some template engine has yet to fill in: {{ }}, {% %}, ${ }, $NAME, <name>, #{ },
// [[ ]], @NAME@, %NAME%, __NAME__, none of which Kubernetes takes for a label; or one so long that
// no label can have it (they end at 63 characters).
bool IsPlaceholder(std::string_view value);

}  // namespace tpu_admission::workload
