#include <fmt/core.h>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

std::string Change(const Subject& subject) {
  const std::string change = "add cloud.google.com/gke-tpu-topology";
  if (subject.shape.generation == nullptr)
    return fmt::format("{}, the shape of the slice in chips", change);
  const std::vector<std::string> near = NearestTopologies(subject, WishedChips(subject));
  return fmt::format("{}, e.g. {} ({} has {})", change, near.front(),
                     subject.shape.generation->label, Topologies(*subject.shape.generation));
}

void Check(const Subject& subject, Report& report) {
  if (!subject.Misses(NodeLabel::kTopology)) return;
  report.Add({.pointer = subject.At(NodeLabel::kTopology),
              .summary = "no node selector says which TPU topology the pod needs",
              .problem =
                  "has no cloud.google.com/gke-tpu-topology, so the pod may land on one host "
                  "of a larger slice and wait there for the others, and no node can be "
                  "provisioned for it.",
              .change = Change(subject),
              .milder = subject.MissingSelectorMode()});
}

}  // namespace

const Rule kTPU103 = {
    .id = "TPU103",
    .name = "topology-missing",
    .mode = Mode::kDeny,
    .check = Check,
    .is_gke_check = true,
};

}  // namespace tpu_admission::rules
