#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/pod_fields.h"

namespace tpu_admission::rules {
namespace tpu510 {

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
  Finding finding = {
      .pointer = subject.At(workload::NodeLabel::kTopology),
      .summary = fmt::format("{} is offered on GKE {} only", what, there),
      .problem = fmt::format("is {} on hosts of {}, which the tables we know offer on GKE {} "
                             "only; this cluster is {}.",
                             elsewhere->topology.Text(),
                             Counted(elsewhere->chips_per_host(), "chip"), there, here)};
  // Pods that fill the topology may fill it on hosts of another size.
  const std::int64_t wished = WishedChips(subject);
  const bool fill = wished == elsewhere->topology.chips();
  if (!fill || !SuggestHosts(subject, finding)) SuggestTopology(subject, wished, finding);
  report.Add(std::move(finding));
}

// https://github.com/GoogleCloudPlatform/cluster-autoscaler/blob/7d25050/pkg/autoprovisioning/tpu_requests.go
void CheckAffinity(const Subject& subject, workload::NodeLabel label, Report& report) {
  const workload::Selected& selected = subject.shape.choice[label];
  if (!selected.fixed() || selected.term == workload::Selected::kInNodeSelector) return;
  report.Add(
      {.pointer = subject.At(label),
       .part = std::string(Key(label)),
       .summary = fmt::format("{} stands in node affinity only", Key(label)),
       .problem = fmt::format("selects {}, but what makes nodes on Autopilot reads TPU labels "
                              "in nodeSelector alone, so it makes none for this pod.",
                              Key(label)),
       .edits = {{PointerBelow(subject.AtSpec("/nodeSelector"), Key(label)),
                  std::string(selected.value)}},
       .change = " in nodeSelector"});
}

void CheckNodePool(const Subject& subject, Report& report) {
  const auto pool = workload::FindRequired(subject.pods.pod.spec, workload::kGkeNodePool);
  if (!pool) return;
  workload::Edits edits = Without(subject, *pool);
  const std::string words =
      edits.empty() ? fmt::format("leave {} out", workload::kGkeNodePool) : "";
  report.Add({.pointer = subject.At(*pool),
              .summary = "a node pool is selected by name, which Autopilot refuses",
              .problem = "chooses a node pool, but on Autopilot GKE makes the nodes and refuses "
                         "this selector.",
              .edits = std::move(edits),
              .change = words + "; accelerator and topology are enough",
              .decision = "which nodes the affinity is to name"});
}

// What the container takes of its host; empty: nothing that Autopilot refuses.
std::string_view TakesOfHost(const k8s::Container& container) {
  if (container.IsPrivileged()) return "is privileged";
  return container.HasHostPort() ? "uses a port of its host" : "";
}

void CheckContainer(const Subject& subject, const k8s::Container& container, Report& report) {
  const std::string takes(TakesOfHost(container));
  if (takes.empty()) return;
  const std::string privileged = subject.At(container, "/securityContext/privileged");
  report.Add(container,
             {.pointer = container.IsPrivileged() ? privileged : subject.At(container, "/ports"),
              .summary = fmt::format("{} {}, which Autopilot refuses", Title(container), takes),
              .problem = fmt::format(
                  "{}, which Autopilot refuses except for programs on an allowlist.", takes),
              .edits = container.IsPrivileged() ? workload::Edits{{privileged, std::nullopt}}
                                                : workload::Edits(),
              .change = container.IsPrivileged() ? "" : "leave hostPort out",
              .decision = "by which port the program is to be reached"});
}

// https://cloud.google.com/kubernetes-engine/docs/concepts/autopilot-security: of the host's files
// only those below /var/log may be read.
void CheckHostPath(const Subject& subject, std::size_t index, Report& report) {
  const std::string_view path = workload::HostPathOf(subject.pods.pod.spec, index);
  if (path.empty() || path.starts_with("/var/log")) return;
  report.Add({.pointer = subject.AtSpec("/volumes", index) + "/hostPath",
              .part = std::string(subject.pods.pod.spec.volumes[index].name),
              .summary = fmt::format("hostPath {} is a path of the host, which Autopilot refuses",
                                     Quoted(path, 40)),
              .problem = fmt::format("is {}, but Autopilot lets pods see only /var/log of the "
                                     "host, and only to read (autogke-no-write-mode-hostpath).",
                                     Quoted(path)),
              .change = "use an emptyDir, a claim or Cloud Storage",
              .decision = "where the files are to lie"});
}

void Check(const Subject& subject, Report& report) {
  if (subject.workload.managed_elsewhere) return;
  const bool autopilot = subject.cluster.platform == Platform::kAutopilot;
  CheckTopology(subject, autopilot, report);
  if (!autopilot || subject.pods.use == workload::TpuUse::kChoice) return;
  CheckNodePool(subject, report);
  if (subject.pods.use == workload::TpuUse::kChips) {
    CheckAffinity(subject, workload::NodeLabel::kAccelerator, report);
    CheckAffinity(subject, workload::NodeLabel::kTopology, report);
  }
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  for (const k8s::Container& container : spec.containers) {
    CheckContainer(subject, container, report);
  }
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) CheckHostPath(subject, i, report);
  if (spec.UsesHostNetwork()) {
    report.Add({.pointer = subject.AtSpec("/hostNetwork"),
                .part = "hostNetwork",
                .summary = "the pod uses the network of its host, which Autopilot refuses",
                .problem = "is true, which Autopilot refuses (autogke-disallow-hostnamespaces).",
                .edits = {{subject.AtSpec("/hostNetwork"), std::nullopt}}});
  }
  if (!spec.UsesHostPid()) return;
  report.Add({.pointer = subject.AtSpec("/hostPID"),
              .summary = "the pod shares its host's process ids, which Autopilot refuses",
              .problem = "is true, which Autopilot refuses.",
              .edits = {{subject.AtSpec("/hostPID"), std::nullopt}}});
}

}  // namespace tpu510

const Rule kTPU510 = {
    .id = "TPU510",
    .name = "autopilot",
    .mode = Mode::kWarn,
    .check = tpu510::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
