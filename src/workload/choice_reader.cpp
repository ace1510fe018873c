#include "workload/choice_reader.h"

#include <algorithm>
#include <array>
#include <string>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/k8s/quantity.h"
#include "workload/scale.h"

namespace tpu_admission::workload {

using k8s::JsonView;

// A member whose value a label of the nodes has too.
struct ChoiceReader::Member {
  std::string_view name;
  NodeLabel label;
};

bool ChoiceReader::Reads(Form form) {
  switch (form) {
    case Form::kNodeLabels:
    case Form::kTpuPriority:
    case Form::kPathwaysWorker:
    case Form::kKubeAiModel:
      return true;
    default:
      return false;
  }
}

bool ChoiceReader::Read(PodSet& set, JsonView at, const Binding& binding) {
  set.use = TpuUse::kChoice;
  set.scale.counting = Counting::kElsewhere;
  set.pod.spec.json = at;
  if (!decoder_.Fits(at, "a choice of nodes")) return false;
  const auto read = [&] {
    switch (set.row->form) {
      case Form::kTpuPriority:
        return ReadPriority(set, at);
      case Form::kPathwaysWorker:
        return ReadWorker(set, at, binding);
      case Form::kKubeAiModel:
        return ReadModel(set, at);
      default:
        return ReadNodeLabels(set, at);
    }
  };
  if (!read()) return false;
  set.nodes = SelectByName(labels_, zones_, decoder_.arena());
  return true;
}

void ChoiceReader::AddMembers(PodSet& set, JsonView at, std::string_view pointer,
                              std::span<const Member> members) {
  for (const Member& member : members) {
    const JsonView value = at[member.name];
    if (!value.has_value()) continue;
    const auto number = value.AsInteger();
    const std::string_view text =
        number ? decoder_.arena().Text(std::to_string(*number)) : value.StringOr("");
    if (member.label == NodeLabel::kAcceleratorCount) set.chips_per_pod = number.value_or(0);
    labels_.push_back({member.label, text, KeptPointer(pointer, member.name, decoder_.arena())});
  }
}

bool ChoiceReader::ReadNodeLabels(PodSet& set, JsonView at) {
  if (!at[Key(NodeLabel::kAccelerator)].has_value() && !at[Key(NodeLabel::kTopology)].has_value()) {
    return false;
  }
  std::array<Member, kNodeLabels.size()> members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i] = {kNodeLabels[i], static_cast<NodeLabel>(i)};
  }
  AddMembers(set, at, set.pointer, members);
  return true;
}

void ChoiceReader::AddZones(JsonView location, std::string_view pointer) {
  const JsonView zones = decoder_.List(location, "zones");
  const std::string list = std::string(pointer) + "/location/zones";
  for (std::size_t i = 0; i < zones.size(); ++i) {
    zones_.push_back({NodeLabel::kZone, zones.Element(i).StringOr(""),
                      decoder_.arena().Text(PointerBelow(list, i))});
  }
}

// https://cloud.google.com/kubernetes-engine/docs/reference/crds/computeclass
bool ChoiceReader::ReadPriority(PodSet& set, JsonView at) {
  static constexpr std::array<Member, 1> kMachine = {{{"machineType", NodeLabel::kMachineType}}};
  static constexpr std::array<Member, 3> kTpu = {{{"type", NodeLabel::kAccelerator},
                                                  {"topology", NodeLabel::kTopology},
                                                  {"count", NodeLabel::kAcceleratorCount}}};
  const JsonView tpu = at["tpu"];
  if (!tpu.has_value() || !decoder_.Fits(tpu, "tpu")) return false;
  AddMembers(set, at, set.pointer, kMachine);
  AddMembers(set, tpu, KeptPointer(set.pointer, "tpu", decoder_.arena()), kTpu);
  AddZones(decoder_.Object(at, "location"), set.pointer);
  if (at["location"].has_value()) return true;
  const JsonView defaults = object_["spec"]["priorityDefaults"];
  AddZones(decoder_.Object(defaults, "location"), "/spec/priorityDefaults");
  return true;
}

// What a node selector adds to the labels that are chosen by name.
void ChoiceReader::AddSelector(PodSet& set, JsonView at) {
  set.pod.spec.node_selector = k8s::StringMap(decoder_.Strings(at, "nodeSelector"));
  const std::string_view pointer = KeptPointer(set.pointer, "nodeSelector", decoder_.arena());
  for (std::size_t i = 0; i < kNodeLabels.size(); ++i) {
    const auto label = static_cast<NodeLabel>(i);
    const auto value = set.pod.spec.node_selector.Find(Key(label));
    const bool named = std::any_of(labels_.begin(), labels_.end(),
                                   [&](const NamedLabel& other) { return other.label == label; });
    const bool by_machine = label == NodeLabel::kAccelerator;
    if (value && !named && !by_machine)
      labels_.push_back({label, *value, KeptPointer(pointer, Key(label), decoder_.arena())});
  }
}

// google/pathways-job api/v1/pathwaysjob_types.go
bool ChoiceReader::ReadWorker(PodSet& set, JsonView at, const Binding& binding) {
  static constexpr std::array<Member, 2> kWorker = {
      {{"type", NodeLabel::kMachineType}, {"topology", NodeLabel::kTopology}}};
  AddMembers(set, at, set.pointer, kWorker);
  AddSelector(set, at);
  set.scale.slices = ReadCount(at["numSlices"], set.pointer, "numSlices", decoder_);
  const JsonView controller = Locate(object_, "spec/controller", binding);
  set.scale.elastic_slices =
      ReadCount(controller["elasticSlices"], "/spec/controller", "elasticSlices", decoder_);
  return true;
}

// "google-tpu-v5e-2x2:4": four times the profile's one chip. Profiles are the cluster's own; these
// three are those of KubeAI's chart. substratusai/kubeai charts/kubeai/values-gke.yaml
bool ChoiceReader::ReadModel(PodSet& set, JsonView at) {
  static constexpr std::array<std::string_view, 3> kProfiles = {
      "google-tpu-v5e-1x1", "google-tpu-v5e-2x2", "google-tpu-v5e-2x4"};
  const std::string_view written = at["resourceProfile"].StringOr("");
  const std::size_t colon = std::min(written.find(':'), written.size());
  const std::string_view profile = written.substr(0, colon);
  if (std::find(kProfiles.begin(), kProfiles.end(), profile) == kProfiles.end()) return false;
  const auto times = k8s::Quantity::Parse(colon < written.size() ? written.substr(colon + 1) : "1");
  set.chips_per_pod = times ? times->AsInteger().value_or(0) : 0;
  const std::string_view pointer = KeptPointer(set.pointer, "resourceProfile", decoder_.arena());
  labels_.push_back({NodeLabel::kAccelerator, "tpu-v5-lite-podslice", pointer});
  labels_.push_back({NodeLabel::kTopology, profile.substr(profile.rfind('-') + 1), pointer});
  return true;
}

}  // namespace tpu_admission::workload
