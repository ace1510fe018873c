#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace {

// A placement that the pods may take: one on hosts with as many chips as they ask for, if any is.
bool MayTake(const Subject& subject, const tpu::Placement& placement) {
  const std::int64_t chips = subject.pods.chips_per_pod;
  return chips == 0 || placement.chips_per_host() == chips ||
         subject.shape.generation->node_can_be_split();
}

void CheckTopology(const Subject& subject, bool autopilot, Report& report) {
  if (subject.shape.generation == nullptr) return;
  const tpu::Placement* elsewhere = nullptr;
  for (const tpu::Placement& placement : subject.shape.placements) {
    if (!MayTake(subject, placement)) continue;
    if (autopilot ? placement.autopilot : placement.standard) return;
    elsewhere = &placement;
  }
  if (elsewhere == nullptr) return;
  const std::string here = autopilot ? "Autopilot" : "Standard";
  const std::string there = autopilot ? "Standard" : "Autopilot";
  const std::string what = fmt::format("{} on {}", Name(subject.shape), elsewhere->machine->name);
  report.Add(
      {.pointer = subject.At(workload::NodeLabel::kTopology),
       .summary = fmt::format("{} is offered on GKE {} only", what, there),
       .problem = fmt::format("is {} on hosts of {}, which the tables we know offer on GKE {} "
                              "only; this cluster is {}.",
                              elsewhere->topology.Text(),
                              Count(elsewhere->chips_per_host(), "chip"), there, here),
       .change = fmt::format("select a topology that {} offers (tpu-admission catalog)", here)});
}

void CheckNodePool(const Subject& subject, Report& report) {
  const auto pool = workload::FindRequired(subject.pods.pod.spec, workload::kGkeNodePool);
  if (!pool) return;
  report.Add({.pointer = subject.At(*pool),
              .summary = "a node pool is selected by name, which Autopilot refuses",
              .problem = "chooses a node pool, but on Autopilot GKE makes the nodes and refuses "
                         "this selector.",
              .change = "leave cloud.google.com/gke-nodepool out; accelerator and topology are "
                        "enough"});
}

// What the container takes of its host; empty: nothing that Autopilot refuses.
std::string_view TakesOfHost(const k8s::Container& container) {
  if (container.IsPrivileged()) return "is privileged";
  return container.HasHostPort() ? "uses a port of its host" : "";
}

void CheckContainer(const Subject& subject, const k8s::Container& container, Report& report) {
  const std::string takes(TakesOfHost(container));
  if (takes.empty()) return;
  report.Add({.pointer = subject.At(
                  container, container.IsPrivileged() ? "/securityContext/privileged" : "/ports"),
              .container = std::string(container.name),
              .summary = fmt::format("{} {}, which Autopilot refuses", Title(container), takes),
              .problem = fmt::format(
                  "{}, which Autopilot refuses except for programs on an allowlist.", takes),
              .change = container.IsPrivileged() ? "leave privileged out" : "leave hostPort out"});
}

void Check(const Subject& subject, Report& report) {
  if (subject.workload.managed_elsewhere) return;
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  CheckTopology(subject, autopilot, report);
  if (!autopilot || subject.pods.use == workload::TpuUse::kChoice) return;
  CheckNodePool(subject, report);
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  for (const k8s::Container& container : spec.containers) {
    CheckContainer(subject, container, report);
  }
  if (!spec.UsesHostPid()) return;
  report.Add({.pointer = subject.AtSpec("/hostPID"),
              .summary = "the pod shares its host's process ids, which Autopilot refuses",
              .problem = "is true, which Autopilot refuses.",
              .change = "leave hostPID out"});
}

}  // namespace

const Rule kTPU510 = {
    .id = "TPU510",
    .name = "autopilot",
    .mode = Mode::kWarn,
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
