#include "workload/scale.h"

#include <algorithm>

namespace tpu_admission::workload {
namespace {

using k8s::JsonView;

constexpr std::int64_t kMostPods = 1'000'000'000;
// The group of a replicated job that names none. https://jobset.sigs.k8s.io/docs/reference/
constexpr std::string_view kDefaultGroup = "default";

std::optional<std::int64_t> Sensible(std::optional<std::int64_t> count) {
  return count && *count >= -kMostPods && *count <= kMostPods ? count : std::nullopt;
}

// The object that holds `path`.
std::string_view ParentOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

// "spec/replicatedJobs[]/replicas" is `replicas` of "spec/replicatedJobs[]".
Count ReadAt(std::string_view path, JsonView object, const Binding& binding,
             k8s::Decoder& decoder) {
  if (path.empty()) return {"", "", false, std::int64_t{1}};
  const std::string_view holder = ParentOf(path);
  return ReadCount(Locate(object, path, binding),
                   decoder.arena().Text(PointerAt(object, holder, binding)),
                   path.substr(path.rfind('/') + 1), decoder);
}

// Of a kind of the policy only what its row names is known: no default of its CRD, and no other
// field of a Job or a StatefulSet.
void KnowOnlyTheRow(Scale& scale) {
  for (Count* count : {&scale.pods, &scale.slices}) {
    if (!count->written && !count->field.empty()) count->value.reset();
  }
  scale.completions = {};
  scale.may_be_indexed = true;
  scale.indexed = scale.nameless = false;
  scale.service = {};
  scale.first_number.reset();
}

// A text is a placeholder.
bool MayBeTrue(JsonView flag) { return flag.has_value() && !flag.IsFalse(); }

// KubeRay holds the replicas of a group between its minReplicas and maxReplicas; without replicas
// it takes minReplicas. Where its autoscaler may choose, nobody knows the number.
// https://github.com/ray-project/kuberay ray-operator/controllers/ray/utils/util.go
void HoldWithinBounds(JsonView group, bool autoscales, Scale& scale) {
  Count& slices = scale.slices;
  const JsonView least_written = group["minReplicas"];
  const JsonView most_written = group["maxReplicas"];
  const auto least = Sensible(least_written.AsInteger());
  // By default 2^31 - 1.
  const auto most = Sensible(std::min(most_written.AsInteger().value_or(kMostPods), kMostPods));
  scale.slices_may_change = (autoscales && least.value_or(0) != most) ||
                            MayBeTrue(group["suspend"]) || (!slices.written && !least) ||
                            (least_written.has_value() && !least) ||
                            (most_written.has_value() && !most_written.AsInteger());
  scale.fewest_slices = least;
  if (most_written.AsInteger()) scale.most_slices = most;
  if (!slices.value) return;
  if (!slices.written && least) slices.value = least;
  if (least) slices.value = std::max(*slices.value, *least);
  if (most) slices.value = std::min(*slices.value, *most);
}

// A Job starts no more pods than it still has to complete.
// https://kubernetes.io/docs/concepts/workloads/controllers/job/#controlling-parallelism
std::optional<std::int64_t> PodsAtOnce(const Scale& scale) {
  const Count& done = scale.completions;
  if (scale.counting != Counting::kJob || !done.written) return scale.pods.value;
  if (!done.value || !scale.pods.value) return std::nullopt;
  return std::min(*done.value, *scale.pods.value);
}

// The TPU pods of a sub-group, and of the first where that has others.
// https://lws.sigs.k8s.io/docs/reference/leaderworkerset.v1/#leaderworkerset-x-k8s-io-v1-SubGroupPolicyType:
// the leader is one of the first sub-group where they divide size, one pod more than that where
// they divide size - 1, and in none with LeaderExcluded.
void CountSubGroups(Scale& scale) {
  const std::int64_t size = *scale.pods.value;
  const std::int64_t sub = scale.sub_group;
  const bool idle = scale.leaders_without_tpus > 0;
  scale.tpu_pods.reset();
  if (size > sub && (size - 1) % sub == 0 && (sub > 1 || idle || scale.leader_excluded)) {
    if (!idle && scale.leader_excluded) return;
    const bool one_more = !idle && size - 1 > sub;
    scale.tpu_pods = idle || one_more ? sub : size;
    if (one_more) scale.first_sub_group = sub + 1;
  } else if (size >= sub && size % sub == 0 && !scale.leader_excluded) {
    const bool one_less = idle && size > sub;
    scale.tpu_pods = idle && !one_less ? size - 1 : sub;
    if (one_less) scale.first_sub_group = sub - 1;
  }
}

void CombineGroup(const Kind& kind, JsonView object, std::span<PodSet> sets) {
  const auto is_leader = [](const PodSetRow& row) { return row.leads; };
  const auto row = std::find_if(kind.pod_sets.begin(), kind.pod_sets.end(), is_leader);
  const bool has_template = Locate(object, row->path, {}).has_value();
  PodSet* leader = nullptr;
  PodSet* worker = nullptr;
  for (PodSet& set : sets) (set.row->leads ? leader : worker) = &set;
  const bool leader_has_chips = leader != nullptr && leader->use == TpuUse::kChips;
  if (leader != nullptr) leader->scale.counting = Counting::kElsewhere;
  if (worker == nullptr || worker->use != TpuUse::kChips) {
    if (!leader_has_chips) return;
    leader->scale.counting = Counting::kNone;  // the leaders are all there is, each by itself
    return leader->scale.tpu_pods.reset();
  }
  Scale& scale = worker->scale;
  if (!scale.pods.value) return;
  const Together together =
      leader_has_chips ? GoTogether(leader->nodes, worker->nodes) : Together::kNo;
  if (has_template && together == Together::kMaybe) {
    if (scale.sub_group == 0) scale.either = {*scale.pods.value - 1, *scale.pods.value};
    return scale.tpu_pods.reset();
  }
  const bool apart = has_template && together == Together::kNo;
  if (leader_has_chips && !apart) leader->scale.counted_by = worker;
  scale.leaders_without_tpus = apart ? 1 : 0;
  scale.leader_has_others = apart && leader_has_chips;
  if (scale.sub_group > 0) return CountSubGroups(scale);
  scale.tpu_pods = *scale.pods.value - scale.leaders_without_tpus;
}

// The first of the sets that go to the same nodes speaks for all of them.
void CombineReplicas(std::span<PodSet> sets) {
  for (std::size_t i = 0; i < sets.size(); ++i) {
    Scale& scale = sets[i].scale;
    if (scale.counting != Counting::kTogether) continue;
    for (PodSet& other : sets.subspan(i + 1)) {
      const Together together = GoTogether(sets[i].nodes, other.nodes);
      if (other.use != sets[i].use || together == Together::kNo) continue;
      if (together == Together::kMaybe) {
        if (sets.size() == 2 && scale.tpu_pods && other.scale.tpu_pods) {
          const std::int64_t both = *scale.tpu_pods + *other.scale.tpu_pods;
          scale.either = {*scale.tpu_pods, both};
          other.scale.either = {*other.scale.tpu_pods, both};
        }
        scale.tpu_pods.reset();
        other.scale.tpu_pods.reset();
        continue;
      }
      if (scale.tpu_pods && other.scale.tpu_pods) {
        scale.tpu_pods = *scale.tpu_pods + *other.scale.tpu_pods;
      } else {
        scale.tpu_pods.reset();
      }
      scale.shared = true;
      other.scale.counting = Counting::kElsewhere;
      other.scale.counted_by = &sets[i];
    }
  }
}

// https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-management-policies
// and https://lws.sigs.k8s.io/docs/reference/leaderworkerset.v1/: without a leader template the
// leader is made from that of the workers.
bool WaitsForReady(const PodSetRow& row, JsonView object) {
  const JsonView spec = object["spec"];
  if (row.of_policy) return false;
  if (row.counting == Counting::kReplicas) {
    return spec["podManagementPolicy"].StringOr("OrderedReady") == "OrderedReady";
  }
  if (row.counting != Counting::kGroup) return false;
  const bool is_leader = row.leads || !spec["leaderWorkerTemplate"]["leaderTemplate"].has_value();
  return is_leader && spec["startupPolicy"].StringOr("") == "LeaderReady";
}

}  // namespace

Count ReadCount(JsonView value, std::string_view holder, std::string_view field,
                k8s::Decoder& decoder) {
  Count count{holder, field, value.has_value(), std::int64_t{1}};
  if (count.written) count.value = Sensible(decoder.Integer(value, field));
  return count;
}

Scale ReadScale(const PodSetRow& row, JsonView object, const Binding& binding,
                k8s::Decoder& decoder) {
  Scale scale;
  scale.counting = row.counting;
  if (!row.copies.empty()) {
    scale.copies = ReadAt(row.copies, object, binding, decoder);
    scale.copies.value = Sensible(scale.copies.value);
  }
  if (row.count.empty()) return scale;
  const JsonView holder = Locate(object, row.counts, binding);
  scale.pointer = decoder.arena().Text(PointerAt(object, row.counts, binding));
  scale.pods = ReadCount(holder[row.count], scale.pointer, row.count, decoder);
  scale.pods.value = Sensible(scale.pods.value);
  scale.completions = ReadCount(holder["completions"], scale.pointer, "completions", decoder);
  scale.slices = ReadAt(row.slices, object, binding, decoder);
  scale.slices.value = Sensible(scale.slices.value);
  const auto replicated = [&] { return Locate(object, ParentOf(row.slices), binding); };
  if (row.counting == Counting::kPerSlice) {
    const JsonView cluster = Locate(object, ParentOf(row.counts), binding);
    HoldWithinBounds(replicated(), MayBeTrue(cluster["enableInTreeAutoscaling"]), scale);
  }
  if (row.always_indexed) {
    scale.group = replicated()["groupName"].StringOr(kDefaultGroup);
    scale.nameless = object["spec"]["network"]["enableDNSHostnames"].IsFalse();
    scale.depends_on_others = replicated()["dependsOn"].has_value();
  }
  if (row.counting == Counting::kTogether) {
    scale.depends_on_others = holder["dependsOn"].has_value();
  }
  if (row.counting == Counting::kReplicas) {
    scale.service = object["spec"]["serviceName"].StringOr("");
    scale.nameless = scale.service.empty();
    const JsonView first = object["spec"]["ordinals"]["start"];
    scale.first_number = first.has_value() ? Sensible(first.AsInteger()) : 0;
  }
  const std::string_view mode = holder["completionMode"].StringOr("");
  const bool is_open = IsPlaceholder(mode);
  scale.indexed = row.always_indexed ? mode != "NonIndexed" && !is_open : mode == "Indexed";
  scale.may_be_indexed = scale.indexed || is_open;
  const JsonView sub_groups = holder["subGroupPolicy"];
  scale.sub_group = Sensible(sub_groups["subGroupSize"].AsInteger()).value_or(0);
  scale.has_sub_groups = sub_groups.has_value();
  scale.leader_excluded = sub_groups["subGroupPolicyType"].StringOr("") == "LeaderExcluded";
  if (row.of_policy) KnowOnlyTheRow(scale);
  scale.tpu_pods = PodsAtOnce(scale);
  scale.waits_for_ready = WaitsForReady(row, object);
  return scale;
}

void CombineScales(const Kind& kind, JsonView object, std::span<PodSet> sets) {
  if (sets.empty()) return;
  const auto counts_by = [&](Counting counting) {
    return std::any_of(kind.pod_sets.begin(), kind.pod_sets.end(),
                       [&](const PodSetRow& row) { return row.counting == counting; });
  };
  if (counts_by(Counting::kGroup)) CombineGroup(kind, object, sets);
  if (counts_by(Counting::kTogether)) CombineReplicas(sets);
}

}  // namespace tpu_admission::workload
