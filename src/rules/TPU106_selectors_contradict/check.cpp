#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu106 {

using workload::NodeLabel;

// The other labels that choose nodes, where nodeSelector and affinity may name two of them.
constexpr std::array kOthers = {workload::kGkeNodePool,    workload::kGkeNodePoolGroup,
                                workload::kGkeReservation, workload::kGkeComputeClass,
                                workload::kGkeSpot,        workload::kGkePreemptible,
                                workload::kGkeFlexStart,   workload::kGkeProvisioning};

bool Takes(const k8s::NodeSelectorTerm& term, std::string_view key, std::string_view value) {
  return std::none_of(term.requirements.begin(), term.requirements.end(), [&](const auto& need) {
    if (need.key != key) return false;
    const auto is = [&](std::string_view other) { return other == value; };
    const bool named = std::any_of(need.values.begin(), need.values.end(), is);
    const bool may_be =
        named || std::any_of(need.values.begin(), need.values.end(), workload::IsPlaceholder);
    return need.op == "In" ? !may_be : need.op == "NotIn" ? named : need.op == "DoesNotExist";
  });
}

void CheckOther(const Subject& subject, std::string_view key, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const auto value = spec.node_selector.Find(key);
  if (!value || workload::IsPlaceholder(*value)) return;
  for (const k8s::NodeSelectorTerm& term : spec.required_affinity) {
    if (Takes(term, key, *value)) return;
  }
  const std::string selected = Quoted(*value);
  report.Add({.pointer = subject.AtSpec("/affinity/nodeAffinity"),
              .part = std::string(key),
              .summary = fmt::format("nodeSelector contradicts the affinity, by {}", key),
              .problem = fmt::format("wants no nodes whose {0} is {1}, and nodeSelector wants "
                                     "{1}. A node has one value of a label, so no node can ever "
                                     "match.",
                                     key, selected),
              .change = fmt::format("name {} in one of the two places only", key),
              .decision = "which of the two is meant"});
}

// The catalog has such nodes.
bool Exists(const Subject& subject, NodeLabel label, std::string_view value) {
  const auto accelerator = subject.pods.pod.spec.node_selector.Find(Key(NodeLabel::kAccelerator));
  if (label == NodeLabel::kAccelerator) return subject.catalog.FindByLabel(value) != nullptr;
  const auto* generation = accelerator ? subject.catalog.FindByLabel(*accelerator) : nullptr;
  return generation != nullptr && generation->Has(value);
}

// Where just one of the two values exists, that one is meant. An affinity of several terms is
// content with one that can be met.
workload::Edits TheOneThatExists(const Subject& subject, NodeLabel label, std::string_view one,
                                 std::string_view other) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const bool judged = label == NodeLabel::kAccelerator || label == NodeLabel::kTopology;
  if (!judged || spec.node_selector.Find(Key(label)) != one) return {};
  const bool keeps = Exists(subject, label, one);
  if (keeps == Exists(subject, label, other)) return {};
  if (!keeps) return Selecting(subject, {.key = Key(label)}, std::string(other));
  for (std::size_t t = 0; t < spec.required_affinity.size(); ++t) {
    const auto& needs = spec.required_affinity[t].requirements;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (needs[i].key != Key(label) || needs[i].values.size() != 1) continue;
      return Selecting(subject, {Key(label), other, true, t, i}, std::string(one));
    }
  }
  return {};
}

// Where the first of two values stands: not in the affinity, or in the same term of it.
std::string_view OtherPlace(const Subject& subject, std::string_view key, std::string_view value) {
  return subject.pods.pod.spec.node_selector.Find(key) == value ? "nodeSelector"
                                                                : "another part of it";
}

void Check(const Subject& subject, Report& report) {
  const workload::NodeSelection& nodes = subject.pods.nodes;
  if (subject.pods.pod.spec.required_affinity.empty()) return;
  for (const std::string_view key : kOthers) CheckOther(subject, key, report);
  if (!nodes.contradiction) {
    for (const std::string_view key : workload::kNodeLabels) CheckOther(subject, key, report);
    return;
  }
  if (nodes.one_value.empty()) return;
  const std::string key(Key(nodes.contradicting));
  const std::string one = Quoted(nodes.one_value);
  const std::string other = Quoted(nodes.other_value);
  workload::Edits edits =
      TheOneThatExists(subject, nodes.contradicting, nodes.one_value, nodes.other_value);
  const bool is_known = !edits.empty();
  report.Add({.pointer = subject.AtSpec("/affinity/nodeAffinity"),
              .summary = fmt::format("{} must be {} and {} at once", key, one, other),
              .problem = fmt::format("asks for {} {}, and {} for {}. A node has one value of a "
                                     "label, so no node can ever match.",
                                     key, other, OtherPlace(subject, key, nodes.one_value), one),
              .edits = std::move(edits),
              .change = is_known ? ", as in the other place"
                                 : fmt::format("keep one of the two values of {}", key),
              .decision = "which of the two values is meant"});
}

}  // namespace tpu106

const Rule kTPU106 = {
    .id = "TPU106",
    .name = "selectors-contradict",
    .mode = Mode::kDeny,
    .check = tpu106::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
