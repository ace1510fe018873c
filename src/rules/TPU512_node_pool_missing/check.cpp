#include <fmt/core.h>
#include <algorithm>
#include <vector>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/seen_shapes.h"
#include "tpu_admission/workload/gitops_keys.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu512 {

using tpu::SeenShape;
using workload::NodeLabel;

constexpr std::size_t kMostListed = 5;
constexpr std::size_t kSummaryBytes = 100;  // leaves room for a change in a warning

// Nothing is to be placed now: it is a pause, waits for somebody, has its place, or was judged with
// its parent.
bool IsNotPlacedNow(const Subject& subject) {
  const k8s::ObjectMeta& metadata = subject.workload.metadata;
  return subject.workload.has_known_parent || subject.pods.scale.has_no_pods() ||
         !subject.pods.pod.spec.node_name.empty() || (subject.is_pod() && metadata.stored);
}

// Somebody else decides where or when it runs, or has nodes made for it.
bool OthersDecide(const Subject& subject) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const auto asks = [&](std::string_view key) {
    return workload::FindRequired(spec, key).has_value();
  };
  return subject.workload.queued || subject.workload.managed_elsewhere || spec.gated ||
         asks(workload::kGkeComputeClass) || asks(workload::kGkeFlexStart) ||
         asks(workload::kGkeQueued) || asks(workload::kGkeProvisioning) ||
         asks(workload::kGkeMaxRunDuration) || subject.pods.SliceTopology().has_value();
}

// What applies whole folders may be about to make the node pool too.
bool IsOfGitOps(const k8s::ObjectMeta& metadata) {
  return std::any_of(workload::kGitOpsMarks.begin(), workload::kGitOpsMarks.end(),
                     [&](std::string_view key) {
                       return metadata.annotations.Has(key) || metadata.labels.Has(key);
                     });
}

bool IsCertain(const Subject& subject) {
  return !subject.cluster.shapes->autoscaler && subject.cluster.platform != Platform::kAutopilot &&
         !OthersDecide(subject) && !IsOfGitOps(subject.workload.metadata);
}

// What there is, the wanted accelerator's own topologies before all else: " (it has 2x4 and 2x2)",
// as far as it fits into `bytes`.
std::string ShortList(std::span<const SeenShape> shapes, std::string_view accelerator,
                      std::size_t bytes) {
  std::vector<std::string> names;
  const auto take = [&](bool own) {
    for (const SeenShape& shape : shapes) {
      if (shape.nodes == 0 || (shape.accelerator == accelerator) != own) continue;
      const std::string name = own ? Printable(shape.topology)
                                   : Printable(shape.accelerator) + " " + Printable(shape.topology);
      if (names.empty() || names.back() != name) names.push_back(name);
    }
  };
  take(true);
  if (names.empty()) take(false);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string longer = text + (i == 0 ? " (it has " : ", ") + names[i];
    if (longer.size() + 6 > bytes) return text.empty() ? text : text + ", ...)";
    text = longer;
  }
  return text.empty() ? text : text + ")";
}

void Check(const Subject& subject, Report& report) {
  const tpu::SeenShapes* const seen = subject.cluster.shapes.get();
  if (seen == nullptr || seen->shapes.empty() || IsNotPlacedNow(subject)) return;
  const workload::NodeChoice& choice = subject.shape.choice;
  const workload::Selected& accelerator = choice[NodeLabel::kAccelerator];
  const workload::Selected& topology = choice[NodeLabel::kTopology];
  // What no cluster has is for other rules to say.
  if (!accelerator.fixed() || !topology.fixed() || subject.shape.placements.empty()) return;
  if (seen->Has(accelerator.value, topology.value)) return;
  const bool certain = IsCertain(subject);
  const std::string name = Name(subject.shape);
  std::string summary = fmt::format("no node pool of this cluster has {}", name);
  summary += ShortList(seen->shapes, accelerator.value,
                       kSummaryBytes - std::min(summary.size(), kSummaryBytes));
  report.Add({.pointer = subject.At(NodeLabel::kTopology),
              .summary = std::move(summary),
              .problem = fmt::format(
                  "is {}, but no node pool of this cluster has {}. It has {}. {}",
                  Quoted(topology.value), name, Listed(seen->shapes, kMostListed),
                  certain ? "There is no cluster autoscaler, so pods wait until somebody makes "
                            "such a node pool."
                          : "Pods wait until there is one."),
              .change = "make one, or select a shape that it has",
              .decision = "which node pool is meant",
              .milder = certain ? std::nullopt : std::optional(Mode::kAudit)});
}

}  // namespace tpu512

const Rule kTPU512 = {
    .id = "TPU512",
    .name = "node-pool-missing",
    .mode = Mode::kWarn,
    .check = tpu512::Check,
    .never_harder = true,
};

}  // namespace tpu_admission::rules
