// What the scheduler says of a pod without a place, and the nodes that it speaks of without naming
// them: shared by autoscaler.cpp, scheduling.cpp and slices.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/causes/causes.h"

namespace tpu_admission::cluster {

struct Shape {
  std::string accelerator;
  std::string topology;
  std::string Text() const { return accelerator + " " + topology; }
};

std::optional<Shape> ShapeOf(const PodFacts& pod);

using Nodes = std::vector<const NodeFacts*>;
Nodes NodesOf(const Snapshot& s, const Shape& shape);
bool Carries(const NodeFacts& node, const std::string& key, const std::string& value);
// The nodes that the pod may go to by all its selectors.
Nodes Candidates(const Snapshot& s, const PodFacts& pod);
bool KeepsOff(const TaintFacts& taint, const PodFacts& pod);

const std::string& Verdict(const PodFacts& pod);
// The verdict, and how many of its pods wait alike.
std::vector<std::string> Evidence(const Snapshot& s, const PodFacts& pod);
Found Tell(const Snapshot& s, const PodFacts& pod, std::string text);

}  // namespace tpu_admission::cluster
