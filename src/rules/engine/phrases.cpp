#include "rules/engine/phrases.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

// How far a topology is from what is asked for: first the machine, then the hosts' chips, then the
// size.
double Distance(const tpu::Placement& placement, std::string_view machine, std::int64_t pod_chips,
                std::int64_t wished) {
  double distance = 0;
  if (!machine.empty() && placement.machine->name != machine) distance += 200;
  if (pod_chips > 0 && placement.chips_per_host() != pod_chips) distance += 100;
  if (wished > 0) {
    distance += std::abs(std::log2(double(placement.topology.chips()) / double(wished)));
  }
  return distance;
}

}  // namespace

std::optional<tpu::Topology> Tidied(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  std::string tidy;
  for (const char c : text.substr(0, kLongest)) {
    if (c == 'X' || c == '*' || c == ',')
      tidy += 'x';
    else if (c != ' ')
      tidy += c;
  }
  return tpu::Topology::Parse(tidy);
}

std::string Title(const k8s::Container& container) {
  static constexpr std::string_view kRoles[] = {"init container ", "sidecar ", "container ",
                                                "ephemeral container "};
  return std::string(kRoles[static_cast<std::size_t>(container.role)]) + Quoted(container.name);
}

std::string Count(std::int64_t number, std::string_view noun) {
  return std::to_string(number).append(" ").append(noun).append(number == 1 ? "" : "s");
}

std::string Name(const Shape& shape) {
  std::string name = Printable(shape.accelerator());
  return shape.topology ? fmt::format("{} {}", name, shape.topology->Text()) : name;
}

std::string Topologies(const tpu::Generation& generation) {
  std::vector<std::string> names;
  for (const tpu::Topology& topology : generation.ListedTopologies()) {
    names.push_back(topology.Text());
  }
  std::string text = JoinOr(names);
  if (generation.custom && !generation.custom->examples.empty()) {
    text += fmt::format(", and larger ones in multiples of {} such as {}",
                        generation.custom->multiple_of, generation.custom->examples.front().Text());
  }
  return text;
}

std::string_view FieldOf(const Subject& subject, workload::NodeLabel label) {
  const std::string_view pointer = subject.shape.choice[label].pointer;
  const bool has_fields = subject.pods.row->form == workload::Form::kTpuPriority ||
                          subject.pods.row->form == workload::Form::kPathwaysWorker;
  if (!has_fields || pointer.empty()) return Key(label);
  return pointer.substr(pointer.rfind('/') + 1);
}

std::string SelectorChange(const Subject& subject, workload::NodeLabel label,
                           std::string_view value) {
  return fmt::format("set {} to {}", FieldOf(subject, label), value);
}

std::string_view NoSuchNode(const Subject& subject) {
  switch (subject.pods.row->form) {
    case workload::Form::kTpuPriority:
      return "GKE can make no such node.";
    case workload::Form::kPathwaysWorker:
      return "There are no such workers.";
    case workload::Form::kNodeLabels:
      return "No node carries such a label, so no pod of this flavor would ever start.";
    default:
      return "No node carries such a label.";
  }
}

std::string_view RefusedPod(const Subject& subject) {
  return subject.is_pod() ? "this pod" : "each pod";
}

std::vector<std::string> NearestTopologies(const Subject& subject, std::int64_t wished_chips) {
  std::vector<tpu::Placement> candidates = subject.shape.generation->placements;
  if (const auto& custom = subject.shape.generation->custom) {
    for (const tpu::Topology& example : custom->examples) {
      for (const tpu::Placement& p : subject.shape.generation->PlacementsOf(example)) {
        candidates.push_back(p);
      }
    }
  }
  const std::int64_t pod_chips = subject.pods.chips_per_pod;
  const workload::Selected& selected = subject.shape.choice[workload::NodeLabel::kMachineType];
  const std::string_view machine = selected.fixed() ? selected.value : std::string_view();
  std::stable_sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    return Distance(a, machine, pod_chips, wished_chips) <
           Distance(b, machine, pod_chips, wished_chips);
  });
  std::vector<std::string> names;
  for (const tpu::Placement& candidate : candidates) {
    const std::string name = candidate.topology.Text();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (names.size() == 3) break;
  }
  if (names.empty()) names.emplace_back("one that it has");  // a generation without placements
  return names;
}

std::int64_t WishedChips(const Subject& subject) {
  const workload::Scale& scale = subject.pods.scale;
  const std::int64_t pods =
      scale.counting == workload::Counting::kNone ? 1 : scale.tpu_pods.value_or(0);
  return pods > 0 && pods < 1'000'000 ? pods * subject.pods.chips_per_pod : 0;
}

std::string FoundPods(const workload::Scale& scale) {
  const std::string number = std::to_string(scale.pods.value.value_or(0));
  std::string text = (scale.pods.written ? "is " : "is not set, so it is ") + number;
  const std::string with_tpus = std::to_string(scale.tpu_pods.value_or(0));
  if (scale.sub_group > 0) {
    return fmt::format("{} in sub-groups of {}, so {} pods with TPUs form a slice", text,
                       scale.sub_group, with_tpus);
  }
  if (scale.leaders_without_tpus > 0) {
    return fmt::format("{}, and its leader has no TPUs, so {} pods have", text, with_tpus);
  }
  if (scale.shared)
    return fmt::format("{}, and with the other replicas {} pods have TPUs", text, with_tpus);
  return text;
}

std::string CountChange(const workload::Scale& scale, std::int64_t pods) {
  using workload::Counting;
  const std::string number = std::to_string(pods);
  switch (scale.counting) {
    case Counting::kJob:
      return fmt::format("set parallelism and completions to {}", number);
    case Counting::kGroup:
      if (scale.sub_group > 0) return fmt::format("set subGroupPolicy.subGroupSize to {}", number);
      return fmt::format("set size to {}", pods + scale.leaders_without_tpus);
    case Counting::kTogether:
      return fmt::format("let the replicas with TPUs be {} together", number);
    default:
      return fmt::format("set {} to {}", scale.pods.field, number);
  }
}

}  // namespace tpu_admission::rules
