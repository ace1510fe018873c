#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu301 {

using workload::NodeLabel;

constexpr std::string_view kTopologyShares =
    " The topology says how many hosts share the work; a container has the chips of its own host.";

// "each host of a tpu-v6e-slice 4x4 has 4 chips, and a container takes all of them"
std::string Truth(const Subject& subject, const std::vector<std::int64_t>& possible) {
  const std::string shape = NameOfNodes(subject.shape);
  if (subject.shape.generation->node_can_be_split()) {
    return fmt::format("a container on {} takes {} of a host's chips", shape,
                       JoinNumbers(possible));
  }
  if (possible.size() == 1) {
    return fmt::format("each host of {} has {}, and a container takes all of them", shape,
                       Counted(possible.front(), "chip"));
  }
  return fmt::format("a host of {} has {} chips, and a container takes all of its host", shape,
                     JoinNumbers(possible));
}

// ", or select topology 2x4, whose one host has 8 chips", if another label can give the chips to
// the only pod that there is.
std::string OtherSelection(const Subject& subject, std::int64_t chips) {
  const workload::Scale& scale = subject.pods.scale;
  const bool one_pod = scale.counting == workload::Counting::kNone || scale.tpu_pods == 1;
  const bool fixed = subject.shape.choice[NodeLabel::kMachineType].fixed();
  if (!subject.shape.topology || subject.shape.generation->node_can_be_split()) return "";
  const auto containers = subject.pods.pod.spec.containers;
  const bool others = std::any_of(containers.begin(), containers.end(), [&](const auto& one) {
    return workload::UsesTpu(one) && ChipsOf(one) != chips;
  });
  if (others || chips != subject.pods.chips_per_pod) return "";
  for (const tpu::Placement& placement : subject.shape.generation->placements) {
    if (!placement.single_host() || placement.chips_per_host() != chips || fixed) continue;
    if (placement.topology == *subject.shape.topology) {
      return fmt::format(
          ", or {}", SelectorChange(subject, NodeLabel::kAcceleratorCount, std::to_string(chips)));
    }
    if (!one_pod || !subject.shape.choice[NodeLabel::kAcceleratorCount].free()) continue;
    return fmt::format(", or select topology {}, whose one host has {}", placement.topology.Text(),
                       Counted(chips, "chip"));
  }
  return "";
}

// Where the topology is none, the chips depend on the one that is chosen instead, unless a host of
// any gives parts.
void Suggest(const Subject& subject, const k8s::Container& container, std::int64_t chips,
             Finding& finding) {
  if (!subject.shape.topology || !subject.shape.placements.empty() ||
      subject.shape.generation->node_can_be_split()) {
    SuggestChips(subject, container, finding);
    finding.change += OtherSelection(subject, chips);
    return;
  }
  finding.change =
      "set requests and limits of google.com/tpu to the chips of one host of the "
      "topology that you select instead";
  finding.decision = "which topology is meant";
}

// JAX counts the cores of these chips, two of each.
std::string_view OfCores(const Subject& subject, std::int64_t chips) {
  return subject.shape.generation->node_can_be_split() && chips == 8
             ? " (JAX shows 8 devices on such a host, which are 2 per chip.)"
             : "";
}

// Containers that together ask for what one container takes whole, or beside one that takes it:
// tpu-containers-per-pod speaks of them.
bool ShareTheHost(const Subject& subject) {
  const std::span<const k8s::Container> containers = subject.pods.pod.spec.containers;
  const auto number = std::count_if(
      containers.begin(), containers.end(),
      [](const auto& container) { return container.Stays() && workload::UsesTpu(container); });
  const auto machines = subject.shape.machines();
  return number > 1 && !subject.shape.generation->node_can_be_split() &&
         std::any_of(machines.begin(), machines.end(), [&](const auto* machine) {
           return machine->chips == subject.pods.chips_per_pod ||
                  std::any_of(containers.begin(), containers.end(), [&](const auto& container) {
                    return container.Stays() && ChipsOf(container) == machine->chips;
                  });
         });
}

// Of containers that share a host tpu-containers-per-pod names those that run at once: no init
// container, which hands its chips on, unless a sidecar before it keeps some.
bool RunsBesideOthers(const Subject& subject, const k8s::Container& container) {
  if (container.Stays()) return true;
  for (const k8s::Container& before : subject.pods.pod.spec.containers) {
    if (&before == &container) return false;
    if (before.Stays() && workload::UsesTpu(before)) return true;
  }
  return false;
}

// "8"; of what was written in another way both: "4Gi (4294967296)".
std::string Asked(const k8s::Container& container, std::int64_t chips) {
  constexpr std::size_t kLongestWritten = 20;
  const std::string number = std::to_string(chips);
  const k8s::Amount* amount = container.limits.Find(workload::kTpuResource);
  if (amount == nullptr) amount = container.requests.Find(workload::kTpuResource);
  if (amount == nullptr || amount->text.empty() || amount->text == number) return number;
  return amount->text.size() > kLongestWritten ? number
                                               : fmt::format("{} ({})", amount->text, number);
}

// A machine that may be newer than the catalog may have more chips than all that we know, but none
// has more than the topology.
bool IsBeyondAnyHost(const Subject& subject, std::int64_t chips) {
  const std::optional<tpu::Topology>& topology = subject.shape.topology;
  const bool fits = !topology || chips <= topology->chips();
  return chips > MostOfAnyHost(subject) && !(subject.shape.machine_is_unknown() && fits);
}

// A host that is taken whole has its chips; one that is shared gives some of them.
std::string Gives(const Subject& subject) {
  return subject.shape.generation->node_can_be_split() ? " gives " : " has ";
}

// " Sources disagree about hosts of tpu-v3-slice with 8: KubeRay knows it, ..."
std::string Dispute(const Subject& subject, std::int64_t chips) {
  const HostInDispute found = HostInDisputeOf(subject, chips);
  if (found.host == nullptr) return "";
  return fmt::format(" Sources disagree about hosts of {} with {}: {}.", found.generation->label,
                     chips, found.host->dispute);
}

// The accelerator is not selected, or not known: only what no generation has is wrong.
void CheckWithoutGeneration(const Subject& subject, Report& report) {
  const std::int64_t most = MostOfItsHosts(subject);
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    const std::optional<std::int64_t> chips = ChipsOf(container);
    if (!chips || !IsMoreThanItsHost(subject, *chips)) continue;
    report.Add(container,
               {.summary = fmt::format("{} asks for {} chip{}, {}", Title(container),
                                       Asked(container, *chips), *chips == 1 ? "" : "s",
                                       LimitOfItsHosts(subject)),
                .problem = fmt::format(
                    "asks for {} google.com/tpu, but {}. A container asks for the chips of its "
                    "own host; the topology says how many hosts share the work.{}",
                    Asked(container, *chips), NoHostHasMore(subject), Dispute(subject, *chips)),
                .change = fmt::format(
                    "set it to the chips of one host, at most {}; the topology has the chips "
                    "of all hosts together",
                    most),
                .decision = "which host is meant",
                .milder = UnlessMoreThanAny(subject, *chips)});
  }
}

// " and let 4 pods fill each 4x4", where the object counts its pods.
std::string WithPodsFor(const Subject& subject, const std::vector<std::int64_t>& chips) {
  const auto& topology = subject.shape.topology;
  if (!topology || chips.size() != 1 || !subject.pods.scale.is_counted()) return "";
  return fmt::format(" and let {} fill each {}", Counted(topology->chips() / chips[0], "pod"),
                     topology->Text());
}

// Some sources have a host with these chips.
Finding OfDisputedHost(const Subject& subject, const k8s::Container& container,
                       const tpu::DisputedHost& host) {
  const std::string chips = Counted(host.chips, "chip");
  const std::vector<std::int64_t> possible = PossibleChips(subject);
  const std::string known = JoinNumbers(possible);
  return {
      .summary = fmt::format("{} wants {} a host: {}", Title(container), chips, host.dispute),
      .problem = fmt::format("asks for {} google.com/tpu, and sources disagree whether {} has a "
                             "host with so many: {}. The hosts that all know have {}.",
                             host.chips, Name(subject.shape), host.dispute, known),
      .change = fmt::format("keep {} if your nodes have {}; else set requests and limits of "
                            "google.com/tpu to {}{}",
                            host.chips, host.chips, known, WithPodsFor(subject, possible)),
      .decision = "how many chips your nodes have",
      .milder = Mode::kWarn};
}

// An init container with the chips of another host than its pod gets.
Finding OfOtherHost(const Subject& subject, const k8s::Container& container, std::int64_t chips,
                    const k8s::Container& taker, std::int64_t taken) {
  Finding finding = {.summary = fmt::format("{} asks for {}, {} for {}", Title(container),
                                            Counted(chips, "chip"), Title(taker), taken),
                     .problem = fmt::format("asks for {} google.com/tpu, and {} for {}. Both run "
                                            "on one host, which gives a container "
                                            "all its chips or none.",
                                            chips, Title(taker), taken),
                     .change = "let both ask for the same chips",
                     .decision = "which host is meant"};
  SetChips(subject.pods, container, taken, finding.edits);
  if (!finding.edits.empty()) finding.change.clear();
  return finding;
}

void Check(const Subject& subject, Report& report) {
  if (subject.shape.generation == nullptr) return CheckWithoutGeneration(subject, report);
  const bool share = ShareTheHost(subject);
  // Whose chips the host must have, where hosts are taken whole.
  const bool splits = subject.shape.generation->node_can_be_split();
  const k8s::Container* const taker = splits ? nullptr : ChipContainer(subject.pods);
  const std::int64_t taken = taker != nullptr ? ChipsOf(*taker).value_or(0) : 0;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    const std::optional<std::int64_t> chips = ChipsOf(container);
    if (!chips || *chips == 0) continue;
    if (IsPossible(subject, *chips)) {
      const bool other = taken > 0 && *chips != taken && IsPossible(subject, taken);
      if (other) report.Add(container, OfOtherHost(subject, container, *chips, *taker, taken));
      continue;
    }
    if (const tpu::DisputedHost* const host = subject.shape.DisputedHostOf(*chips)) {
      Finding finding = OfDisputedHost(subject, container, *host);
      finding.told_by_another = share && RunsBesideOthers(subject, container);
      report.Add(container, std::move(finding));
      continue;
    }
    const std::vector<std::int64_t> possible = PossibleChips(subject);
    Finding finding = {
        .summary = fmt::format("{} asks for {} chip{}, a host of {}{}{}", Title(container),
                               Asked(container, *chips), *chips == 1 ? "" : "s",
                               NameOfNodes(subject.shape), Gives(subject), JoinNumbers(possible)),
        .problem =
            fmt::format("asks for {} google.com/tpu, but {}.{}{}", Asked(container, *chips),
                        Truth(subject, possible), *chips > possible.back() ? kTopologyShares : "",
                        OfCores(subject, *chips)),
        .milder = IsBeyondAnyHost(subject, *chips) ? std::nullopt : UnlessKnown(subject.shape),
        .told_by_another = share && RunsBesideOthers(subject, container)};
    Suggest(subject, container, *chips, finding);
    report.Add(container, std::move(finding));
  }
}

}  // namespace tpu301

const Rule kTPU301 = {
    .id = "TPU301",
    .name = "chips-per-host",
    .mode = Mode::kDeny,
    .check = tpu301::Check,
};

}  // namespace tpu_admission::rules
