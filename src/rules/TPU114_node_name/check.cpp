#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace tpu114 {

// A Pod that was bound, that a controller sent to its node, or that a kubelet made from a file.
bool IsPlaced(const Subject& subject) {
  const k8s::ObjectMeta& pod = subject.workload.metadata;
  return subject.is_pod() &&
         (pod.stored || !pod.controller_kind.empty() || pod.annotations.Has(workload::kMirrorPod));
}

// One node, where the pods need several at once. Each pod of a group of Kueue's is an object of its
// own, into which Kueue writes the node that it has chosen for it.
// https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
void CheckHostName(const Subject& subject, Report& report) {
  const bool has_own =
      subject.is_pod() && subject.workload.metadata.labels.Has(workload::kKueuePodGroup);
  if (has_own) return;
  const auto host = workload::FindRequired(subject.pods.pod.spec, workload::kHostNameLabel);
  if (!host || !host->fixed) return;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice) return;
  const std::string hosts = Counted(slice->hosts, "host");
  report.Add({.pointer = subject.At(*host),
              .part = std::string(workload::kHostNameLabel),
              .summary = fmt::format("{} is that of one node, {} needs {}",
                                     workload::kHostNameLabel, slice->topology.Text(), hosts),
              .problem = fmt::format(
                  "is {}, which one node has, but the pods fill a {} on {}, which all start at "
                  "once. One of them gets the node; the others stay Pending, and it waits for "
                  "them for ever.",
                  Quoted(host->value), slice->topology.Text(), hosts),
              .change = fmt::format("remove it, or select {} instead", workload::kGkeNodePool),
              .decision = "why this node is selected"});
}

void Check(const Subject& subject, Report& report) {
  CheckHostName(subject, report);
  const std::string_view node = subject.pods.pod.spec.node_name;
  if (node.empty() || workload::IsPlaceholder(node) || IsPlaced(subject)) return;
  const std::string name = Quoted(node);
  report.Add({.pointer = subject.AtSpec("/nodeName"),
              .summary = fmt::format("nodeName {} goes round the scheduler", name),
              .problem = fmt::format(
                  "is {}, which goes round the scheduler: nobody checks that the node exists, has "
                  "these labels and has free chips. Where it has not, the pod fails there instead "
                  "of waiting, and its replacement goes to the same node.",
                  name),
              .edits = {{subject.AtSpec("/nodeName"), std::nullopt}},
              .change = " and let the node selectors choose"});
}

}  // namespace tpu114

const Rule kTPU114 = {
    .id = "TPU114",
    .name = "node-name",
    .mode = Mode::kWarn,
    .check = tpu114::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kSelects,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
