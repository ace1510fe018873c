#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu108 {

using workload::NodeLabel;

// This alternative sends the pod to TPU nodes, by its chips or by its labels.
bool GoesToTpus(const Subject& subject) {
  const auto gpu = workload::FindRequired(subject.pods.pod.spec, workload::kGkeGpu);
  return (gpu && NamesTpu(*gpu)) || subject.pods.chips_per_pod > 0 || subject.AsksForChips() ||
         subject.shape.choice[NodeLabel::kAccelerator].fixed() ||
         subject.shape.choice[NodeLabel::kTopology].fixed();
}

// "asks for TPU chips", "selects TPU nodes".
std::string TpuSide(const Subject& subject) {
  return subject.AsksForChips() ? "asks for TPU chips" : "selects TPU nodes";
}

// Nothing for a container that needs the GPU and no chips: it belongs into another pod.
workload::Edits WithoutGpu(const Subject& subject, const k8s::Container& container,
                           std::string_view gpu) {
  workload::Edits edits;
  if (!workload::UsesTpu(container)) return edits;
  for (const std::string_view list : {"requests", "limits"}) {
    if (!(list == "limits" ? container.limits : container.requests).Has(gpu)) continue;
    edits.push_back({subject.At(container, list, gpu), std::nullopt});
  }
  return edits;
}

// A container among others may belong into another pod; the only one that asks for devices asks for
// the wrong ones, or goes to the wrong nodes.
std::string Otherwise(const Subject& subject, std::string_view gpu) {
  if (subject.pods.use == workload::TpuUse::kChips) {
    return ", or move the container to a pod of its own";
  }
  return fmt::format(
      ", and ask for google.com/tpu in its place; or keep {} and select GPU nodes instead", gpu);
}

void CheckResources(const Subject& subject, Report& report) {
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    const std::string_view gpu = workload::GpuResourceOf(container);
    if (gpu.empty()) continue;
    const std::string name = Printable(gpu);
    workload::Edits edits = WithoutGpu(subject, container, gpu);
    const std::string remove = edits.empty() ? "remove " + name : "";
    report.Add(container, {.summary = fmt::format("{} asks for {}, and its pod {}",
                                                  Title(container), name, TpuSide(subject)),
                           .problem = fmt::format(
                               "asks for {} in a pod that {}. All containers of a pod run on one "
                               "node, and no node has both GPUs and TPUs.",
                               name, TpuSide(subject)),
                           .edits = std::move(edits),
                           .change = remove + Otherwise(subject, name),
                           .decision = "where GPUs are meant, and where TPUs"});
  }
}

// " A host of tpu-v4-podslice has 4 chips, and container "jax" asks for 8." of what must change
// with the key; empty if each container asks for what a host has.
std::string OfItsHosts(const Subject& subject, const tpu::Generation& generation) {
  std::vector<std::string> sizes;
  for (const tpu::MachineType& machine : generation.machines) {
    const std::string size = std::to_string(machine.chips);
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    const std::int64_t chips = ChipsOf(container).value_or(0);
    const bool is_size =
        std::find(sizes.begin(), sizes.end(), std::to_string(chips)) != sizes.end();
    if (chips <= 0 || is_size || generation.node_can_be_split()) continue;
    if (generation.FindDisputedHost(chips, subject.shape.topology) != nullptr) continue;
    return fmt::format(" A host of {} has {} chips, and {} asks for {}.", generation.label,
                       JoinOr(sizes), Title(container), chips);
  }
  return "";
}

// The key of GPUs with the value of a TPU.
void ReportKey(const Subject& subject, const workload::RequiredLabel& gpu, Report& report) {
  const std::string value = Quoted(gpu.value);
  const std::string_view key = Key(NodeLabel::kAccelerator);
  const tpu::Generation* const named = subject.catalog.FindByLabel(gpu.value);
  const tpu::Generation* const meant = named != nullptr ? named : subject.catalog.Guess(gpu.value);
  workload::Edits edits = Without(subject, gpu);
  const workload::Selected& selected = subject.shape.choice[NodeLabel::kAccelerator];
  const bool is_selected = selected.fixed() && subject.catalog.FindByLabel(selected.value);
  if (meant == nullptr && !is_selected) edits.clear();
  if (!edits.empty() && !is_selected) {
    const workload::Edits renamed = Selecting(subject, NodeLabel::kAccelerator, meant->label);
    edits.insert(edits.begin(), renamed.begin(), renamed.end());
  }
  const std::string rename = edits.empty() ? fmt::format("rename the key to {}", key) : "";
  report.Add(
      {.pointer = subject.At(gpu),
       .summary =
           fmt::format("gke-accelerator is the label of GPU nodes; {} goes with {}", value, key),
       .problem = fmt::format(
           "is {}, but this label is for GPU nodes. TPU nodes carry {}.{}", value, key,
           meant != nullptr && subject.shape.generation == nullptr ? OfItsHosts(subject, *meant)
                                                                   : ""),
       .edits = std::move(edits),
       .change = rename,
       .decision = "which accelerator is meant",
       .milder = subject.has_only_chips_of_the_pod() ? std::optional(Mode::kWarn) : std::nullopt});
}

void CheckSelector(const Subject& subject, Report& report) {
  const auto gpu = workload::FindRequired(subject.pods.pod.spec, workload::kGkeGpu);
  if (!gpu || !gpu->fixed) return;
  if (NamesTpu(*gpu)) return ReportKey(subject, *gpu, report);
  const std::string value = Quoted(gpu->value);
  workload::Edits edits = Without(subject, *gpu);
  const std::string remove = edits.empty() ? fmt::format("remove {}", workload::kGkeGpu) : "";
  report.Add(
      {.pointer = subject.At(*gpu),
       .summary = fmt::format("the pod {} and selects GPU nodes by gke-accelerator {}",
                              TpuSide(subject), value),
       .problem = fmt::format("is {}, but this label is for GPU nodes, and the pod {}. No node has "
                              "both, and GKE makes none for such a pod.",
                              value, TpuSide(subject)),
       .edits = std::move(edits),
       .change = fmt::format("{} (TPUs are selected by {})", remove, Key(NodeLabel::kAccelerator)),
       .milder = gpu->value.starts_with("nvidia") && !subject.has_only_chips_of_the_pod()
                     ? std::nullopt
                     : std::optional(Mode::kWarn)});
}

void Check(const Subject& subject, Report& report) {
  if (!GoesToTpus(subject)) return;
  if (!subject.has_only_chips_of_the_pod()) CheckResources(subject, report);
  CheckSelector(subject, report);
}

}  // namespace tpu108

const Rule kTPU108 = {
    .id = "TPU108",
    .name = "gpu-and-tpu",
    .mode = Mode::kDeny,
    .check = tpu108::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kSelects |
                workload::TpuUse::kTolerates,
};

}  // namespace tpu_admission::rules
