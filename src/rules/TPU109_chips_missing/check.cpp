#include <fmt/core.h>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

bool AsksForGpus(const k8s::PodSpec& spec) {
  return std::any_of(spec.containers.begin(), spec.containers.end(), [](const auto& container) {
    return !workload::GpuResourceOf(container).empty();
  });
}

bool PassesTheTaint(const k8s::PodSpec& spec) {
  return std::any_of(spec.tolerations.begin(), spec.tolerations.end(), [](const auto& t) {
    return t.Tolerates(workload::kTpuResource, "present", "NoSchedule");
  });
}

// Pods that belong on TPU nodes without chips: leaders, and agents that look after the node. Those
// of a runtime of Kubeflow Trainer get what a TrainJob says in trainer.resourcesPerNode.
bool MayGoWithout(const Subject& subject) {
  return subject.pods.row->leads || subject.pods.row->on_each_node ||
         subject.workload.kind->group == "trainer.kubeflow.org";
}

// A patch of kustomize: what Kubernetes itself takes has containers.
bool IsFragment(const Subject& subject) {
  const std::string_view group = subject.workload.kind->group;
  const bool built_in = group.empty() || group == "apps" || group == "batch";
  return built_in && subject.pods.pod.spec.containers.empty();
}

// " (a 2x2 host has 4)", if the machines agree.
std::string HostChips(const Subject& subject) {
  const auto machines = subject.shape.machines();
  if (!subject.shape.topology || machines.size() != 1) return "";
  return fmt::format(" (a host of {} has {})", Name(subject.shape), machines.front()->chips);
}

// The chips of the host, where there is but one container that could have them.
workload::Edits WithChips(const Subject& subject) {
  workload::Edits edits;
  const k8s::Container* const container = ChipContainer(subject.pods);
  if (container == nullptr || HostChips(subject).empty()) return edits;
  SetChips(subject.pods, *container, subject.shape.machines().front()->chips, edits);
  return edits;
}

Finding Missing(const Subject& subject, NodeLabel label) {
  Finding finding;
  finding.pointer = subject.At(label);
  finding.summary = "the pod selects TPU nodes, but no container asks for google.com/tpu";
  finding.edits = WithChips(subject);
  finding.change = fmt::format("{}{}, or remove the TPU selectors",
                               finding.edits.empty() ? "add it to the limits of a container" : "",
                               HostChips(subject));
  finding.decision = "which container is to have chips";
  return finding;
}

void Check(const Subject& subject, Report& report) {
  const bool by_accelerator = subject.shape.choice[NodeLabel::kAccelerator].fixed();
  if (!by_accelerator && !subject.shape.choice[NodeLabel::kTopology].fixed()) return;
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (MayGoWithout(subject) || AsksForGpus(spec) || IsFragment(subject)) return;
  Finding finding =
      Missing(subject, by_accelerator ? NodeLabel::kAccelerator : NodeLabel::kTopology);
  if (PassesTheTaint(spec)) {
    finding.problem =
        "sends the pod to TPU nodes, but no container asks for google.com/tpu: it "
        "gets no TPU there, and stands in the way of pods that need the whole node.";
    finding.milder = Mode::kAudit;
  } else {
    finding.problem =
        "sends the pod to TPU nodes, but no container asks for google.com/tpu, and "
        "the pod does not tolerate the taint google.com/tpu=present:NoSchedule of "
        "these nodes: it stays Pending for ever.";
  }
  report.Add(std::move(finding));
}

}  // namespace

const Rule kTPU109 = {
    .id = "TPU109",
    .name = "chips-missing",
    .mode = Mode::kWarn,
    .check = Check,
    .audience = workload::TpuUses(workload::TpuUse::kSelects),
};

}  // namespace tpu_admission::rules
