#include "workload/pod_set_reader.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/node_selection.h"
#include "workload/choice_reader.h"
#include "workload/scale.h"

namespace tpu_admission::workload {
namespace {

using k8s::JsonView;

// By names that GKE has not and nobody else has: the label of GPUs with a TPU for its value, and
// chips by the domain of the labels. The pod waits for ever, whatever else it says.
bool MeansTpus(const k8s::PodSpec& spec) {
  const auto gpu = FindRequired(spec, kGkeGpu);
  return (gpu && NamesTpu(*gpu)) ||
         std::any_of(spec.containers.begin(), spec.containers.end(), [](const auto& container) {
           return container.limits.Has(kMistakenTpuResource) ||
                  container.requests.Has(kMistakenTpuResource);
         });
}

std::optional<TpuUse> UseOf(const PodSet& set) {
  const k8s::PodSpec& spec = set.pod.spec;
  const auto any = [&](bool (*uses)(const k8s::Container&)) {
    return std::any_of(spec.containers.begin(), spec.containers.end(), uses);
  };
  if (any(UsesTpu)) return TpuUse::kChips;
  if (any(UsesLegacyTpu)) return TpuUse::kLegacy;
  if (SelectsTpus(spec) || set.SliceTopology()) {
    return spec.resource_claims.empty() ? TpuUse::kSelects : TpuUse::kClaims;
  }
  if (spec.resource_claims.empty() && MeansTpus(spec)) return TpuUse::kSelects;
  const bool tolerates =
      std::any_of(spec.tolerations.begin(), spec.tolerations.end(),
                  [](const k8s::Toleration& t) { return t.key == kTpuResource; });
  return tolerates ? std::optional(TpuUse::kTolerates) : std::nullopt;
}

// A predictor has a pod's spec, and one server under the name of its framework.
// kserve/kserve pkg/apis/serving/v1beta1/predictor.go
constexpr std::array<k8s::ContainerList, 7> kKserveLists = {
    {{"initContainers", k8s::ContainerRole::kInit},
     {"containers", k8s::ContainerRole::kMain},
     {"model", k8s::ContainerRole::kMain, true},
     {"huggingface", k8s::ContainerRole::kMain, true},
     {"pytorch", k8s::ContainerRole::kMain, true},
     {"tensorflow", k8s::ContainerRole::kMain, true},
     {"triton", k8s::ContainerRole::kMain, true}}};

// "spec/jobTemplate/spec" has its metadata at "spec/jobTemplate/metadata".
std::string MetadataBeside(std::string_view path) {
  constexpr std::string_view kMetadata = "metadata";
  const std::size_t slash = path.rfind('/');
  std::string beside;
  beside.reserve(path.size() + kMetadata.size());
  if (slash != path.npos) beside = path.substr(0, slash + 1);
  return beside.append(kMetadata);
}

bool HasResources(const k8s::PodSpec& spec) {
  return std::any_of(spec.containers.begin(), spec.containers.end(), [](const auto& container) {
    return container.limits.size() > 0 || container.requests.size() > 0;
  });
}

// "spec/taskManager" of "spec/taskManager/podTemplate".
JsonView RoleOf(JsonView object, std::string_view path) {
  return object.Follow(path.substr(0, path.rfind('/')));
}

}  // namespace

// Everything but the pod itself, for a set of pods.
void PodSetReader::Complete(PodSet& set, const Binding& binding) {
  const PodSetRow& row = *set.row;
  set.pointer = arena_.Text(PointerAt(object_, row.path, binding));
  const bool has_metadata = row.form == Form::kPod || row.form == Form::kFlinkTemplate;
  if (set.spec_pointer.empty()) {
    set.spec_pointer = has_metadata ? KeptPointer(set.pointer, "spec", arena_) : set.pointer;
  }
  if (set.selector_pointer.empty()) set.selector_pointer = set.spec_pointer;
  set.name = decoder_.Weighed(Locate(object_, row.name, binding).StringOr(""));
  set.chips_per_pod = ChipsPerPod(set.pod.spec);
  set.nodes = SelectNodes(set.pod.spec, arena_);
  set.scale = ReadScale(row, object_, binding, decoder_);
  if (!row.counts.empty()) {
    set.claim_templates = k8s::DecodeClaimTemplates(Locate(object_, row.counts, binding), decoder_);
    const k8s::ObjectMeta job =
        k8s::DecodeMeta(Locate(object_, MetadataBeside(row.counts), binding), decoder_);
    set.job_labels = job.labels;
    set.job_annotations = job.annotations;
  }
}

// Where a set stands that is no pod.
void PodSetReader::StandAt(PodSet& set, const Binding& binding) {
  set.pointer = arena_.Text(PointerAt(object_, set.row->path, binding));
  set.spec_pointer = set.selector_pointer = set.pointer;
  set.scale.counting = Counting::kElsewhere;
}

// What a role does not say, the common template says. It is judged with the roles: alone only where
// the workers have no template. Where both speak of selectors or of resources, the operator merges
// them member by member: that is not followed, and nothing is sure.
// apache/flink-kubernetes-operator docs/content/docs/custom-resource/pod-template.md
bool PodSetReader::ReadFlinkTemplate(PodSet& set, JsonView at) {
  constexpr std::string_view kCommon = "spec/podTemplate";
  constexpr std::string_view kCommonSpec = "/spec/podTemplate/spec";
  set.pod = k8s::DecodePod(at, decoder_);
  if (set.row->path == kCommon) {
    return !object_.Follow("spec/taskManager/podTemplate").has_value();
  }
  const k8s::PodSpec common = k8s::DecodePodSpec(object_.Follow(kCommon)["spec"], decoder_);
  k8s::PodSpec& spec = set.pod.spec;
  set.selector_pointer = arena_.Text(std::string("/").append(set.row->path).append("/spec"));
  set.is_patched = (SelectsNodes(spec) && SelectsNodes(common)) ||
                   (!spec.containers.empty() && HasResources(common)) ||
                   RoleOf(object_, set.row->path)["resources"].present();
  if (!SelectsNodes(spec) && SelectsNodes(common)) {
    spec.node_selector = common.node_selector;
    spec.required_affinity = common.required_affinity;
    set.selector_pointer = kCommonSpec;
  }
  if (spec.tolerations.empty()) spec.tolerations = common.tolerations;
  if (spec.containers.empty() && !common.containers.empty()) {
    spec.containers = common.containers;
    set.spec_pointer = kCommonSpec;
  }
  return true;
}

bool PodSetReader::ReadPod(PodSet& set, JsonView at, const Binding& binding) {
  switch (set.row->form) {
    case Form::kPod:
      set.pod = k8s::DecodePod(at, decoder_);
      break;
    case Form::kPodSpec:
      set.pod.spec = k8s::DecodePodSpec(at, decoder_);
      break;
    case Form::kFlinkTemplate:
      if (!ReadFlinkTemplate(set, at)) return false;
      break;
    case Form::kKserve:
      set.pod.spec = k8s::DecodePodSpec(at, decoder_, kKserveLists);
      break;
    default:
      if (!workflow_) workflow_.emplace(object_, set.row->path, decoder_);
      set.entries += workflow_->entries();
      if (!workflow_->Read(set, at, decoder_)) return false;
  }
  const std::optional<TpuUse> use = UseOf(set);
  if (!use) return false;
  set.use = *use;
  Complete(set, binding);
  return true;
}

// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-v1/: v1 and
// v1beta2 have the request under `exactly`, v1beta1 has it plain. Where a request for TPUs lets the
// scheduler choose among several (firstAvailable), nobody knows how many the claim is for.
bool PodSetReader::ReadDeviceClaim(PodSet& set, JsonView at, const Binding& binding) {
  const JsonView requests = at["devices"]["requests"];
  if (!decoder_.Fits(requests, "requests")) return false;
  const std::span<DeviceRequest> found = arena_.Array<DeviceRequest>(requests.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const JsonView request = requests.Element(i);
    const bool nested = request["exactly"].is_object();
    const JsonView exactly = nested ? request["exactly"] : request;
    const JsonView first = request["firstAvailable"];
    for (std::size_t k = 0; k < first.size(); ++k) {
      if (first.Element(k)["deviceClassName"].StringOr("") == kTpuDriver) return false;
    }
    if (exactly["deviceClassName"].StringOr("") != kTpuDriver) continue;
    found[count++] = {i,
                      request["name"].StringOr(""),
                      exactly["allocationMode"].StringOr("") == "All",
                      exactly["count"].AsInteger().value_or(1),
                      exactly["selectors"].size() > 0,
                      nested ? "/exactly" : ""};
  }
  if (count == 0) return false;
  set.use = TpuUse::kDeviceClaim;
  StandAt(set, binding);
  set.device_requests = found.first(count);
  return true;
}

bool PodSetReader::ReadForm(PodSet& set, JsonView at, const Binding& binding) {
  if (set.row->form == Form::kDeviceClaim) return ReadDeviceClaim(set, at, binding);
  if (!ChoiceReader::Reads(set.row->form)) return ReadPod(set, at, binding);
  StandAt(set, binding);
  return ChoiceReader(object_, decoder_).Read(set, at, binding);
}

bool PodSetReader::Read(const PodSetRow& row, JsonView at, const Binding& binding, PodSet& set) {
  set.row = &row;
  const std::size_t before = decoder_.entries();
  const bool has_to_do_with_tpus = ReadForm(set, at, binding);
  set.entries += decoder_.entries() - before;
  return has_to_do_with_tpus;
}

}  // namespace tpu_admission::workload
