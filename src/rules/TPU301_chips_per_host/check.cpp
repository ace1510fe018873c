#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

using workload::NodeLabel;

// The chip counts that a container can have on the machines of this shape.
std::vector<std::int64_t> Possible(const Subject& subject) {
  std::vector<std::int64_t> counts;
  for (const tpu::MachineType* machine : subject.shape.machines()) {
    if (!subject.shape.generation->node_can_be_split()) counts.push_back(machine->chips);
    for (const std::int64_t part : subject.shape.generation->container_chips) {
      if (part <= machine->chips) counts.push_back(part);
    }
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::string Join(const std::vector<std::int64_t>& counts) {
  std::vector<std::string> words;
  for (const std::int64_t count : counts) words.push_back(std::to_string(count));
  return JoinOr(words);
}

// "each host of a tpu-v6e-slice 4x4 has 4 chips, and a container takes all of them"
std::string Truth(const Subject& subject, const std::vector<std::int64_t>& possible) {
  const std::string shape = Name(subject.shape);
  if (subject.shape.generation->node_can_be_split()) {
    return fmt::format("a container on {} takes {} of a host's chips", shape, Join(possible));
  }
  if (possible.size() == 1) {
    return fmt::format("each host of {} has {}, and a container takes all of them", shape,
                       Count(possible.front(), "chip"));
  }
  return fmt::format("a host of {} has {} chips, and a container takes all of its host", shape,
                     Join(possible));
}

// ", or select topology 2x4, whose one host has 8 chips", if another label can give these chips.
std::string OtherSelection(const Subject& subject, std::int64_t chips) {
  if (!subject.shape.topology || subject.shape.generation->node_can_be_split()) return "";
  for (const tpu::Placement& placement : subject.shape.generation->placements) {
    if (!placement.single_host() || placement.chips_per_host() != chips) continue;
    if (placement.topology == *subject.shape.topology) {
      return fmt::format(
          ", or {}", SelectorChange(subject, NodeLabel::kAcceleratorCount, std::to_string(chips)));
    }
    return fmt::format(", or select topology {}, whose one host has {}", placement.topology.Text(),
                       Count(chips, "chip"));
  }
  return "";
}

bool IsPossible(const Subject& subject, std::int64_t chips) {
  const std::vector<std::int64_t>& parts = subject.shape.generation->container_chips;
  const bool splits = subject.shape.generation->node_can_be_split();
  const bool is_part = std::find(parts.begin(), parts.end(), chips) != parts.end();
  return std::any_of(subject.shape.machines().begin(), subject.shape.machines().end(),
                     [&](const tpu::MachineType* machine) {
                       return splits ? is_part && chips <= machine->chips : chips == machine->chips;
                     });
}

// A host that is taken whole has its chips; one that is shared gives some of them.
std::string Gives(const Subject& subject) {
  return subject.shape.generation->node_can_be_split() ? " gives " : " has ";
}

void Check(const Subject& subject, Report& report) {
  if (subject.shape.generation == nullptr) return;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    const std::optional<std::int64_t> chips = ChipsOf(container);
    if (!chips || *chips == 0) continue;
    if (IsPossible(subject, *chips)) continue;
    const std::vector<std::int64_t> possible = Possible(subject);
    report.Add({.pointer = subject.At(container),
                .container = std::string(container.name),
                .summary = fmt::format("{} asks for {}, a host of {}{}{}", Title(container),
                                       Count(*chips, "chip"), Name(subject.shape), Gives(subject),
                                       Join(possible)),
                .problem = fmt::format("asks for {} google.com/tpu, but {}.", *chips,
                                       Truth(subject, possible)),
                .change = fmt::format("set requests and limits of google.com/tpu to {}{}",
                                      Join(possible), OtherSelection(subject, *chips))});
  }
}

}  // namespace

const Rule kTPU301 = {
    .id = "TPU301",
    .name = "chips-per-host",
    .mode = Mode::kDeny,
    .check = Check,
};

}  // namespace tpu_admission::rules
