#include "rules/engine/phrases.h"

#include <fmt/core.h>

#include <algorithm>

#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {

std::string Title(const k8s::Container& container) {
  static constexpr std::string_view kRoles[] = {"init container ", "sidecar ", "container ",
                                                "ephemeral container "};
  // One without a name is known by its field.
  const bool alone = container.index == k8s::Container::kAlone;
  if (container.name.empty() && !alone) return PlaceOf(container);
  return std::string(kRoles[static_cast<std::size_t>(container.role)]) +
         Quoted(container.name.empty() ? container.list : container.name);
}

std::string PlaceOf(const k8s::Container& container) {
  return container.index == k8s::Container::kAlone
             ? std::string(container.list)
             : fmt::format("{}[{}]", container.list, container.index);
}

std::string Remark(const std::string& note) { return note.empty() ? "" : " " + note; }

std::string WithArticle(std::string_view word) {
  const std::string_view first = word.substr(0, word.find('x'));
  const bool is_an = first.find_first_of("8AEIO") == 0 || first == "11" || first == "18";
  return (is_an ? "an " : "a ") + std::string(word);
}

std::string Name(const Shape& shape) {
  std::string name = Printable(shape.accelerator());
  return shape.topology ? fmt::format("{} {}", name, shape.topology->Text()) : name;
}

std::string NameOfNodes(const Shape& shape) {
  const bool none =
      shape.generation != nullptr && shape.topology && !shape.generation->Has(*shape.topology);
  return none ? Printable(shape.accelerator()) : Name(shape);
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
  const workload::Form form = subject.pods.row->form;
  const bool has_fields = form == workload::Form::kTpuPriority ||
                          form == workload::Form::kPathwaysWorker ||
                          form == workload::Form::kKubeAiModel;
  if (!has_fields || pointer.empty() || pointer.find("/nodeSelector/") != pointer.npos) {
    return Key(label);
  }
  return pointer.substr(pointer.rfind('/') + 1);
}

std::string SelectorChange(const Subject& subject, workload::NodeLabel label,
                           std::string_view value) {
  return fmt::format("set {} to {}", FieldOf(subject, label), value);
}

std::string NoHostHasMore(const Subject& subject) {
  const auto& topology = subject.shape.topology;
  return fmt::format("no host of any generation we know{} has more than {}",
                     topology ? " with topology " + topology->Text() : "", MostOfItsHosts(subject));
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

std::optional<Mode> UnlessDocumented(const tpu::Generation& generation) {
  return generation.documented ? std::nullopt : std::optional(Mode::kWarn);
}

std::optional<Mode> UnlessKnown(const Shape& shape) {
  const auto machines = shape.machines();
  const bool is_documented =
      machines.empty() || std::any_of(machines.begin(), machines.end(),
                                      [](const auto* machine) { return machine->documented; });
  const bool is_known = is_documented && !shape.machine_is_unknown();
  return is_known ? UnlessDocumented(*shape.generation) : Mode::kWarn;
}

std::string_view AfterMissing(const Subject& subject) {
  if (subject.cluster.platform == Platform::kSelfManaged) return "any TPU node will do";
  return subject.is_pod() ? "GKE refuses this pod" : "GKE refuses each pod";
}

std::string_view WhyMissing(const Subject& subject) {
  if (subject.cluster.platform == Platform::kSelfManaged) {
    return "Unless something else chooses the node, the scheduler takes any that has the chips, "
           "also one of another generation or slice.";
  }
  return "GKE's own check refuses every pod that asks for chips without it: no node pool, "
         "reservation or machine type stands in for it.";
}

std::string FoundPods(const workload::Scale& scale) {
  const std::string number = std::to_string(scale.pods.value.value_or(0));
  std::string text = (scale.pods.written ? "is " : "is not set, so it is ") + number;
  const std::string with_tpus = std::to_string(scale.tpu_pods.value_or(0));
  if (scale.sub_group > 0) {
    const std::string pods = Counted(scale.tpu_pods.value_or(0), "pod");
    return fmt::format("{} in sub-groups of {}, so {} with TPUs form{} a slice", text,
                       scale.sub_group, pods, scale.tpu_pods == 1 ? "s" : "");
  }
  if (scale.leaders_without_tpus > 0) {
    return fmt::format("{}, and its leader has none of these TPUs, so {} ha{}", text,
                       Counted(scale.tpu_pods.value_or(0), "pod"),
                       scale.tpu_pods == 1 ? "s" : "ve");
  }
  if (scale.counting == workload::Counting::kJob && scale.tpu_pods < scale.pods.value) {
    return fmt::format("{}, but completions is {}, and a Job runs no more pods than that", text,
                       with_tpus);
  }
  if (scale.shared)
    return fmt::format("{}, and with the other replicas {} pods have TPUs", text, with_tpus);
  return text;
}

FoundAt FoundPodsAt(const workload::Scale& scale, const workload::Edits& edits) {
  const bool at_part =
      scale.sub_group > 0 && !edits.empty() && edits.front().pointer.ends_with("/subGroupSize");
  if (!at_part) return {scale.pods.pointer(), FoundPods(scale)};
  return {edits.front().pointer,
          fmt::format("is {} of a size of {}, so {} with TPUs form{} a slice", scale.sub_group,
                      scale.pods.value.value_or(0), Counted(scale.tpu_pods.value_or(0), "pod"),
                      scale.tpu_pods == 1 ? "s" : "")};
}

std::string JoinNumbers(std::span<const std::int64_t> numbers) {
  std::vector<std::string> words;
  for (const std::int64_t number : numbers) words.push_back(std::to_string(number));
  return JoinOr(words);
}

}  // namespace tpu_admission::rules
