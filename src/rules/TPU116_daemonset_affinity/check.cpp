#include <fmt/core.h>

#include <algorithm>

#include "rules/engine/phrases.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu116 {

using workload::NodeLabel;
using workload::RequiredLabel;

// Whether the affinity speaks of one value or several: of a placeholder nobody knows, and a label
// that must be absent is none to name.
bool NamesValues(const Subject& subject, const RequiredLabel& label) {
  const auto& in = subject.pods.pod.spec.required_affinity[label.term].requirements;
  const k8s::NodeSelectorRequirement& requirement = in[label.expression];
  return requirement.op != "DoesNotExist" &&
         std::none_of(requirement.values.begin(), requirement.values.end(),
                      workload::IsPlaceholder);
}

bool InNodeSelector(const RequiredLabel& label) {
  return label.term == workload::Selected::kInNodeSelector;
}

bool IsClass(const RequiredLabel& label) { return label.key == workload::kGkeComputeClass; }

// The labels of GKE's check that the affinity names and nodeSelector does not. A compute class in
// nodeSelector makes up for them; one that the affinity names is lost as they are, and if it is
// given back, they need not be.
std::vector<RequiredLabel> ByAffinityAlone(const Subject& subject) {
  const auto compute_class =
      workload::FindRequired(subject.pods.pod.spec, workload::kGkeComputeClass);
  if (compute_class && InNodeSelector(*compute_class)) return {};
  const bool loses_class = compute_class && NamesValues(subject, *compute_class);
  std::vector<RequiredLabel> found;
  for (const NodeLabel label : {NodeLabel::kAccelerator, NodeLabel::kTopology}) {
    const auto required = workload::FindRequired(subject.pods.pod.spec, Key(label));
    if (!subject.NeedsLabelOrClass(label) || (required && InNodeSelector(*required))) continue;
    if (loses_class) return {*compute_class};
    if (required && NamesValues(subject, *required)) found.push_back(*required);
  }
  return found;
}

// One value of each, of nodes that there are: what other rules would deny is not written twice.
bool CanBeCopied(const Subject& subject, const std::vector<RequiredLabel>& labels) {
  const bool all_fixed =
      std::all_of(labels.begin(), labels.end(), [](const auto& label) { return label.fixed; });
  const Shape& shape = subject.shape;
  if (IsClass(labels[0])) return all_fixed;
  return all_fixed && shape.generation != nullptr && !shape.guessed &&
         (shape.choice[NodeLabel::kTopology].free() || !shape.placements.empty());
}

// Beside the affinity, which stays. What is malformed there is written as topology-malformed says.
void Suggest(const Subject& subject, const std::vector<RequiredLabel>& labels, Finding& finding) {
  if (!CanBeCopied(subject, labels)) {
    finding.change = fmt::format("name one {} in nodeSelector, or make a DaemonSet for each",
                                 labels.size() > 1 ? "of each" : labels[0].key);
    finding.decision = "which nodes are meant";
    return;
  }
  for (const RequiredLabel& label : labels) {
    const RequiredLabel selected{.key = label.key};
    const bool tidied = label.key == Key(NodeLabel::kTopology) && subject.shape.topology_guessed;
    finding.edits.push_back(
        {subject.At(selected), tidied ? subject.shape.topology->Text() : std::string(label.value)});
  }
  finding.change = " in nodeSelector";
}

void Check(const Subject& subject, Report& report) {
  if (!subject.pods.row->on_each_node) return;
  if (subject.cluster.platform == Platform::kSelfManaged) return;
  const std::vector<RequiredLabel> labels = ByAffinityAlone(subject);
  if (labels.empty()) return;
  const bool both = labels.size() > 1;
  const std::string_view missing =
      IsClass(labels[0]) ? "neither the class nor both accelerator and topology" : "no such label";
  const std::string named =
      both ? fmt::format("{} and {}", labels[0].key, labels[1].key) : std::string(labels[0].key);
  Finding finding = {
      .pointer = subject.At(labels[0]),
      .summary = fmt::format("no {} in nodeSelector, so GKE refuses each pod",
                             both ? "accelerator and topology" : named),
      .problem = fmt::format(
          "speaks of {}, and nodeSelector has no such label. The controller of DaemonSets "
          "replaces, in each pod, the required node affinity by one that names the node. GKE's own "
          "check then finds {} in the pod, and refuses it.",
          named, missing)};
  Suggest(subject, labels, finding);
  report.Add(std::move(finding));
}

}  // namespace tpu116

const Rule kTPU116 = {
    .id = "TPU116",
    .name = "daemonset-affinity",
    .mode = Mode::kWarn,
    .check = tpu116::Check,
    .is_gke_check = true,
};

}  // namespace tpu_admission::rules
