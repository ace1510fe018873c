#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/pod_fields.h"

namespace tpu_admission::rules {
namespace tpu109 {

using namespace std::string_view_literals;
using workload::NodeLabel;

bool AsksForGpus(const k8s::PodSpec& spec) {
  return std::any_of(spec.containers.begin(), spec.containers.end(), [](const auto& container) {
    return !workload::GpuResourceOf(container).empty();
  });
}

// Pods that belong on TPU nodes without chips: leaders, and agents that look after the node.
bool MayGoWithout(const Subject& subject) {
  return subject.pods.row->leads || subject.pods.row->on_each_node;
}

// The pods of a runtime of Kubeflow Trainer get what a TrainJob says in trainer.resourcesPerNode.
bool IsOfTrainer(const Subject& subject) {
  return subject.workload.kind->group == "trainer.kubeflow.org";
}

// A patch of kustomize: what Kubernetes itself takes has containers.
bool IsFragment(const Subject& subject) {
  return subject.workload.kind->is_built_in() && subject.pods.pod.spec.containers.empty();
}

// " (a 2x2 host has 4)", if the machines agree.
std::string HostChips(const Subject& subject) {
  const auto machines = subject.shape.machines();
  if (!subject.shape.topology || machines.size() != 1) return "";
  return fmt::format(" (a host of {} has {})", NameOfNodes(subject.shape), machines.front()->chips);
}

// Beside pods that have chips, or by selectors that others share, the pods may be on TPU nodes by
// mistake: a driver with the selectors of its workers.
bool MayBeWithoutChips(const Subject& subject) {
  const auto& sets = subject.workload.pod_sets;
  return subject.pods.selector_pointer != subject.pods.spec_pointer ||
         std::any_of(sets.begin(), sets.end(),
                     [](const workload::PodSet& set) { return set.chips_per_pod > 0; });
}

// The chips of the host, where there is but one container that could have them.
workload::Edits WithChips(const Subject& subject) {
  workload::Edits edits;
  if (MayBeWithoutChips(subject)) return edits;
  const k8s::Container* const container = ChipContainer(subject.pods);
  if (container == nullptr || HostChips(subject).empty()) return edits;
  SetChips(subject.pods, *container, subject.shape.machines().front()->chips, edits);
  return edits;
}

// What was meant to be google.com/tpu: google.com/tpus, google.com/tpu-v6e, cloud.google.com/tpu.
bool MeansTpus(std::string_view resource) {
  if (resource == workload::kTpuResource) return false;
  constexpr std::array kWhole = {workload::kTpuResource};
  constexpr std::array kNames = {"tpu"sv, "tpus"sv};
  const std::string_view name = resource.substr(resource.rfind('/') + 1);
  return resource.starts_with(workload::kTpuResource) || !Nearest(resource, kWhole, 2).empty() ||
         !Nearest(name, kNames, 0).empty();
}

// Under another domain it may be a resource of somebody's own.
bool IsOfGoogle(std::string_view resource) {
  const std::string_view domain = resource.substr(0, std::min(resource.find('/'), resource.size()));
  return resource.find('/') == resource.npos || domain.ends_with("google.com") ||
         !Nearest(resource, std::array{workload::kTpuResource}, 2).empty();
}

// The chips of a container under another name than google.com/tpu.
struct Misnamed {
  const k8s::Container& container;
  std::string_view list;
  std::string_view name;
  bool beside = false;  // the right one, of this container or another
};

std::optional<Misnamed> FindMisnamed(const Subject& subject, const k8s::Container& container) {
  const bool beside = subject.pods.use == workload::TpuUse::kChips;
  for (const std::string_view list : {"limits"sv, "requests"sv}) {
    const auto& resources = list == "limits" ? container.limits : container.requests;
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const std::string_view name = resources.Name(i);
      if (!MeansTpus(name) || (beside && !IsOfGoogle(name))) continue;
      const k8s::Amount* const amount = resources.Find(name);
      if (amount == nullptr || (amount->quantity && amount->quantity->IsZero())) continue;
      return Misnamed{container, list, name, beside};
    }
  }
  return std::nullopt;
}

// The chips that were meant, under their right name; where they stand under that too, only without
// the wrong one. None where another container has chips: this one may not be meant to have any.
workload::Edits Renamed(const Subject& subject, const Misnamed& misnamed) {
  workload::Edits edits;
  const k8s::Container& container = misnamed.container;
  if (!workload::UsesTpu(container)) {
    const auto& there = misnamed.list == "limits" ? container.limits : container.requests;
    const auto chips = there.QuantityOrZero(misnamed.name).AsInteger();
    if (misnamed.beside || !chips || *chips <= 0) return edits;
    SetChips(subject.pods, container, *chips, edits);
  }
  for (const std::string_view list : {"limits"sv, "requests"sv}) {
    if (!(list == "limits" ? container.limits : container.requests).Has(misnamed.name)) continue;
    edits.push_back({subject.At(container, list, misnamed.name), std::nullopt});
  }
  return edits;
}

Finding UnderAnotherName(const Subject& subject, const Misnamed& misnamed) {
  const std::string name = Printable(misnamed.name);
  Finding finding{.pointer = subject.At(misnamed.container, misnamed.list, misnamed.name),
                  .summary = fmt::format("{} asks for {}; the TPUs of GKE are google.com/tpu",
                                         Title(misnamed.container), name),
                  .problem = fmt::format("asks for {}, but the chips of TPU nodes are called "
                                         "google.com/tpu. A pod gets nothing under another name "
                                         "that no node offers: it stays Pending.",
                                         name)};
  // kubernetes/kubernetes pkg/apis/core/validation/validation.go, ValidateResourceRequirements.
  if (!misnamed.container.limits.Has(misnamed.name)) {
    finding.problem += " Without a limit of it the API server refuses the pod.";
  }
  finding.edits = Renamed(subject, misnamed);
  if (finding.edits.empty()) {
    finding.change =
        misnamed.beside ? "remove it, or name it google.com/tpu" : "name it google.com/tpu";
  }
  finding.decision = "how many chips the container is to have";
  return finding;
}

// Chips that a container has where nobody reads them. What stands beside them is out of sight as
// well, so nothing is moved alone.
std::optional<Finding> Unread(const Subject& subject) {
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    const std::string_view place = workload::UnreadChipsOf(subject.pods.pod.spec, container);
    if (place.empty()) continue;
    Finding finding;
    finding.pointer = subject.At(container, place);
    finding.container = std::string(container.name);
    finding.summary = fmt::format("{} has google.com/tpu where it is not read", Title(container));
    finding.change = "move it to resources.limits, with the other amounts that stand beside it";
    finding.decision = "which of the amounts are meant";
    return finding;
  }
  return std::nullopt;
}

// One a container; false if there is none.
bool CheckNames(const Subject& subject, Report& report) {
  bool found = false;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) break;
    const auto misnamed = FindMisnamed(subject, container);
    if (!misnamed) continue;
    report.Add(misnamed->container, UnderAnotherName(subject, *misnamed));
    found = true;
  }
  return found;
}

Finding Missing(const Subject& subject, NodeLabel label) {
  Finding finding;
  finding.pointer = subject.At(label);
  finding.summary = "the pod selects TPU nodes, but no container asks for google.com/tpu";
  finding.edits = WithChips(subject);
  finding.change =
      MayBeWithoutChips(subject)
          ? fmt::format(
                "remove the TPU selectors if these pods need no chips, or add it to the "
                "limits of a container{}",
                HostChips(subject))
          : fmt::format("{}{}, or remove the TPU selectors",
                        finding.edits.empty() ? "add it to the limits of a container" : "",
                        HostChips(subject));
  finding.decision = "which container is to have chips";
  return finding;
}

void Check(const Subject& subject, Report& report) {
  const bool asks = subject.pods.use == workload::TpuUse::kChips;
  const bool by_accelerator = subject.shape.choice[NodeLabel::kAccelerator].fixed();
  const bool selects = by_accelerator || subject.shape.choice[NodeLabel::kTopology].fixed();
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if ((!asks && AsksForGpus(spec)) || IsOfTrainer(subject)) return;
  if (CheckNames(subject, report) || asks || !selects || MayGoWithout(subject) ||
      IsFragment(subject))
    return;
  // KServe lays the container over that of the runtime, which may ask for them.
  if (subject.workload.kind->group == "serving.kserve.io") return;
  const std::optional<Finding> unread = Unread(subject);
  Finding finding =
      unread ? *unread
             : Missing(subject, by_accelerator ? NodeLabel::kAccelerator : NodeLabel::kTopology);
  const std::string_view why =
      unread ? "is not read there, but in limits and requests of the container's resources. The "
               "selectors send the pod to TPU nodes, but no container asks for google.com/tpu"
             : "sends the pod to TPU nodes, but no container asks for google.com/tpu";
  if (workload::ToleratesTpuTaint(spec)) {
    finding.problem = fmt::format(
        "{}: it gets no TPU there, and stands in the way of pods that need the whole node.", why);
    if (!unread) finding.milder = Mode::kAudit;
  } else {
    finding.problem = fmt::format(
        "{}, and the pod does not tolerate the taint google.com/tpu=present:NoSchedule of these "
        "nodes: it stays Pending for ever.",
        why);
  }
  report.Add(std::move(finding));
}

}  // namespace tpu109

const Rule kTPU109 = {
    .id = "TPU109",
    .name = "chips-missing",
    .mode = Mode::kWarn,
    .check = tpu109::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kSelects,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
