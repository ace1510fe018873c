#include "cluster/causes/candidates.h"

#include <algorithm>

#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::cluster {
namespace {

bool Matches(const NodeFacts& node, const PodFacts& pod) {
  return std::all_of(pod.selector.begin(), pod.selector.end(),
                     [&](const auto& label) { return Carries(node, label.first, label.second); });
}

}  // namespace

std::optional<Shape> ShapeOf(const PodFacts& pod) {
  Shape shape{LabelOf(pod.selector, workload::kGkeTpuAccelerator),
              LabelOf(pod.selector, workload::kGkeTpuTopology)};
  if (shape.accelerator.empty() || shape.topology.empty()) return std::nullopt;
  return shape;
}

Nodes NodesOf(const Snapshot& s, const Shape& shape) {
  Nodes nodes;
  for (const NodeFacts& node : s.nodes) {
    if (node.accelerator == shape.accelerator && node.topology == shape.topology) {
      nodes.push_back(&node);
    }
  }
  return nodes;
}

bool Carries(const NodeFacts& node, const std::string& key, const std::string& value) {
  const auto found = node.labels.find(key);
  return found != node.labels.end() && found->second == value;
}

Nodes Candidates(const Snapshot& s, const PodFacts& pod) {
  const auto shape = ShapeOf(pod);
  if (!shape) return {};
  Nodes nodes = NodesOf(s, *shape);
  std::erase_if(nodes, [&](const NodeFacts* node) { return !Matches(*node, pod); });
  return nodes;
}

bool KeepsOff(const TaintFacts& taint, const PodFacts& pod) {
  return taint.effect != "PreferNoSchedule" && !pod.Tolerates(taint);
}

const std::string& Verdict(const PodFacts& pod) { return pod.Condition("PodScheduled")->message; }

std::vector<std::string> Evidence(const Snapshot& s, const PodFacts& pod) {
  std::vector<std::string> evidence = {Say(pod, *pod.Condition("PodScheduled"))};
  const std::size_t waiting =
      CountPods(s, [](const PodFacts& other) { return other.unschedulable(); });
  const std::size_t placed =
      CountPods(s, [](const PodFacts& other) { return !other.node.empty() && !other.done(); });
  evidence.push_back(Counted(waiting, "pod") + " without a place, " + std::to_string(placed) +
                     " with one");
  return evidence;
}

Found Tell(const Snapshot& s, const PodFacts& pod, std::string text) {
  return {std::move(text), Evidence(s, pod)};
}

}  // namespace tpu_admission::cluster
