#include "tpu_admission/workload/workload.h"

#include <algorithm>
#include <array>

#include "tpu_admission/base/text.h"

namespace tpu_admission::workload {
namespace {

using k8s::JsonView;

constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kSliceTopology = "cloud.google.com/gke-tpu-slice-topology";
// Rules hold the containers of a pod against each other, and three megabytes are a hundred thousand
// containers: a stranger must not choose how long this takes. Real pods have a handful.
constexpr std::size_t kMaxContainers = 100;
constexpr std::array<std::string_view, 4> kCountFields = {"parallelism", "completions", "replicas",
                                                          "completionMode"};

// "spec/template" -> "/spec/template", in the arena.
std::string_view PointerTo(std::string_view path, k8s::Arena& arena) {
  return path.empty() ? std::string_view() : arena.Text("/" + std::string(path));
}

Count ReadCount(JsonView holder, std::string_view field) {
  const JsonView json = holder[field];
  Count count{field, json.has_value(), std::int64_t{1}};
  if (count.written) count.value = json.AsInteger();
  return count;
}

Scale ReadScale(const Kind& kind, JsonView object, k8s::Arena& arena) {
  Scale scale;
  scale.counting = kind.counting;
  if (kind.counting == Counting::kNone) return scale;
  const JsonView holder = object.Follow(kind.counts);
  scale.pointer = PointerTo(kind.counts, arena);
  scale.pods = ReadCount(holder, kind.counting == Counting::kJob ? "parallelism" : "replicas");
  scale.completions = ReadCount(holder, "completions");
  scale.indexed = holder["completionMode"].StringOr("") == "Indexed";
  return scale;
}

bool UsesTpu(const k8s::PodSpec& spec) {
  return std::any_of(spec.containers.begin(), spec.containers.end(),
                     [](const k8s::Container& container) { return container.UsesTpu(); });
}

std::int64_t ChipsPerPod(const k8s::PodSpec& spec) {
  std::int64_t chips = 0;
  for (const k8s::Container& container : spec.containers) {
    if (!container.Stays() || !container.UsesTpu()) continue;
    const auto amount = container.Requested(k8s::kTpuResource);
    const auto whole = amount && amount->quantity ? amount->quantity->AsInteger() : std::nullopt;
    if (!whole || *whole < 0 || *whole > 1'000'000) return 0;
    chips += *whole;
  }
  return chips;
}

}  // namespace

std::optional<std::string_view> PodSet::SliceTopology() const {
  return pod.metadata.annotations.Find(kSliceTopology);
}

Result<Workload> ReadWorkload(const k8s::GroupVersionKind& gvk, JsonView object,
                              k8s::Arena& arena) {
  Workload workload;
  workload.kind = FindKind(gvk.group, gvk.kind);
  if (workload.kind == nullptr) return workload;
  const JsonView pod_json = object.Follow(workload.kind->pod_template);
  Result<k8s::Pod> pod = k8s::DecodePod(pod_json, arena);
  if (!pod) return pod.error();
  if (!UsesTpu(pod->spec)) return workload;
  workload.too_many_containers = pod->spec.containers.size() > kMaxContainers;
  if (workload.too_many_containers) return workload;

  workload.metadata = k8s::DecodeMeta(object["metadata"]);
  workload.queued = workload.metadata.labels.Has(kQueueLabel) || object["spec"]["suspend"].IsTrue();
  workload.managed_elsewhere = !object["spec"]["managedBy"].StringOr("").empty();
  workload.has_known_parent =
      !workload.metadata.controller_kind.empty() &&
      FindKind(workload.metadata.controller_group, workload.metadata.controller_kind) != nullptr;
  const std::span<PodSet> sets = arena.Array<PodSet>(1);
  sets[0].pointer = PointerTo(workload.kind->pod_template, arena);
  sets[0].pod = *pod;
  sets[0].chips_per_pod = ChipsPerPod(pod->spec);
  sets[0].nodes = SelectNodes(pod->spec, arena);
  sets[0].scale = ReadScale(*workload.kind, object, arena);
  workload.pod_sets = sets;
  return workload;
}

bool SamePods(const Kind& kind, JsonView before, JsonView after) {
  const JsonView old_pod = before.Follow(kind.pod_template);
  const JsonView new_pod = after.Follow(kind.pod_template);
  // A Pod's own metadata changes all the time; that of a template only by its author.
  const bool same_annotations =
      kind.pod_template.empty() ||
      Equal(old_pod["metadata"]["annotations"], new_pod["metadata"]["annotations"]);
  return same_annotations && Equal(old_pod["spec"], new_pod["spec"]);
}

bool SamePodsAndCounts(const Kind& kind, JsonView before, JsonView after) {
  const JsonView old_counts = before.Follow(kind.counts);
  const JsonView new_counts = after.Follow(kind.counts);
  const bool same_counts =
      kind.counting == Counting::kNone ||
      std::all_of(kCountFields.begin(), kCountFields.end(), [&](std::string_view field) {
        return Equal(old_counts[field], new_counts[field]);
      });
  return same_counts && SamePods(kind, before, after);
}

std::string Title(const Workload& workload) {
  const std::string kind(workload.kind->name);
  if (!workload.metadata.name.empty()) return kind + " " + Quoted(workload.metadata.name);
  if (workload.metadata.generate_name.empty()) return kind;
  return kind + " " + Quoted(std::string(workload.metadata.generate_name) + "*");
}

}  // namespace tpu_admission::workload
