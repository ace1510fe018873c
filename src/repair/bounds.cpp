#include "repair/bounds.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tpu_admission/base/text.h"
#include "tpu_admission/k8s/json_edit.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::repair {
namespace {

using k8s::At;
using k8s::JsonView;
using workload::Counting;
using workload::PodSet;
using workload::Scale;

using Number = std::optional<std::int64_t>;

// Volcano: volcano-sh/volcano pkg/webhooks/admission/jobs/validate/admit_job.go. Kubeflow makes a
// PodGroup of it.
constexpr std::string_view kGangs[] = {"/spec/minAvailable",
                                       "/spec/runPolicy/schedulingPolicy/minAvailable"};
// https://www.kubeflow.org/docs/components/trainer/legacy-v1/reference/: of the workers.
constexpr std::string_view kElastic = "/spec/elasticPolicy";

// Whoever writes more has no gang in mind, and what they mean is not asked.
constexpr std::size_t kMostTasks = 1000;
constexpr std::int64_t kMostPods = 1'000'000'000;
// https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy
constexpr std::size_t kMostRules = 20;

// The pods of all tasks, or of all replica specs; 1 where no count is written.
Number AllPods(JsonView object, const Scale& scale) {
  const std::string_view holder = scale.pods.holder;
  const JsonView all = At(object, holder.substr(0, holder.rfind('/')));
  if (all.size() > kMostTasks) return std::nullopt;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const JsonView one = all.is_array() ? all.Element(i) : all.Member(i);
    const JsonView replicas = one["replicas"];
    const Number number = replicas.has_value() ? replicas.AsInteger() : Number(1);
    if (!number || *number < 0 || *number > kMostPods) return std::nullopt;
    sum += *number;
  }
  return sum;
}

bool IsOfReplicas(const PodSet& pods) {
  const PodSet* const counted_by = pods.scale.counted_by;
  const Scale& scale = counted_by == nullptr ? pods.scale : counted_by->scale;
  return scale.counting == Counting::kTogether;
}

// The last of "0-4,7", which are in order.
Number LastIndex(std::string_view indexes) {
  const std::size_t before = indexes.find_last_of(",-");
  return WholeNumber(before == indexes.npos ? indexes : indexes.substr(before + 1));
}

class Bounds {
 public:
  Bounds(JsonView object, const workload::Workload& workload)
      : object_(object), workload_(workload) {}

  std::vector<std::string> Broken() && {
    for (const PodSet& pods : workload_.pod_sets) {
      if (pods.scale.counting == Counting::kJob) OfJob(pods);
      if (pods.scale.counting == Counting::kPerSlice) OfGroup(pods.scale);
      if (IsOfReplicas(pods)) OfReplicas(pods.scale);
    }
    const auto& sets = workload_.pod_sets;
    if (!sets.empty() && IsOfReplicas(sets.front())) OfGang(sets.front().scale);
    return std::move(broken_);
  }

 private:
  void Hold(std::string pointer, Number value, Number most) {
    if (value && most && *value > *most) broken_.push_back(std::move(pointer));
  }
  // The same for a number that counts from 0.
  void HoldIndex(std::string pointer, Number index, Number count) {
    if (index && count && *index >= *count) broken_.push_back(std::move(pointer));
  }

  // https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/
  void OfJob(const PodSet& pods) {
    const std::string pointer(pods.scale.pointer);
    const JsonView spec = At(object_, pointer);
    const Number parallelism = spec["parallelism"].AsInteger();
    const JsonView done = spec["completions"];
    const Number completions = done.has_value() ? done.AsInteger() : parallelism;
    Hold(pointer + "/maxFailedIndexes", spec["maxFailedIndexes"].AsInteger(), completions);
    const JsonView rules = spec["successPolicy"]["rules"];
    for (std::size_t i = 0; i < std::min(rules.size(), kMostRules); ++i) {
      const std::string rule = pointer + "/successPolicy/rules/" + std::to_string(i);
      const JsonView indexes = rules.Element(i)["succeededIndexes"];
      HoldIndex(rule + "/succeededIndexes", LastIndex(indexes.StringOr("")), completions);
      Hold(rule + "/succeededCount", rules.Element(i)["succeededCount"].AsInteger(), completions);
    }
    OfCoordinator(pods, completions);
    // Kueue's own webhook refuses as many as all.
    const auto least = workload_.metadata.annotations.Find(workload::kKueueMinParallelism);
    if (least && workload_.kind->name == "Job") {
      HoldIndex("/metadata/annotations", WholeNumber(*least), parallelism);
    }
  }

  // https://jobset.sigs.k8s.io/docs/reference/jobset.v1alpha2/
  void OfCoordinator(const PodSet& pods, Number completions) {
    const JsonView coordinator = object_["spec"]["coordinator"];
    if (pods.name.empty() || coordinator["replicatedJob"].StringOr("") != pods.name) return;
    const JsonView slices = At(object_, pods.scale.slices.pointer());
    const Number replicas = slices.has_value() ? slices.AsInteger() : Number(1);
    HoldIndex("/spec/coordinator/jobIndex", coordinator["jobIndex"].AsInteger(), replicas);
    HoldIndex("/spec/coordinator/podIndex", coordinator["podIndex"].AsInteger(), completions);
  }

  // KubeRay holds the replicas of a group between the two.
  void OfGroup(const Scale& scale) {
    const std::string holder(scale.slices.holder);
    const Number replicas = At(object_, scale.slices.pointer()).AsInteger();
    const std::string least = holder + "/minReplicas";
    const std::string most = holder + "/maxReplicas";
    Hold(least, At(object_, least).AsInteger(), replicas);
    Hold(most, replicas, At(object_, most).AsInteger());
  }

  void OfReplicas(const Scale& scale) {
    const std::string holder(scale.pods.holder);
    const Number pods = At(object_, scale.pods.pointer()).AsInteger();
    Hold(holder + "/minAvailable", At(object_, holder + "/minAvailable").AsInteger(), pods);
    if (IsTheOneMaster(scale)) Hold(scale.pods.pointer(), pods, 1);
    const JsonView elastic = At(object_, kElastic);
    if (!elastic.present() || !holder.ends_with("/Worker")) return;
    Hold("/spec/elasticPolicy/minReplicas", elastic["minReplicas"].AsInteger(), pods);
    Hold("/spec/elasticPolicy/maxReplicas", pods, elastic["maxReplicas"].AsInteger());
  }

  // Of all sets together.
  void OfGang(const Scale& of_one) {
    const Number all = AllPods(object_, of_one);
    for (const std::string_view gang : kGangs) {
      Hold(std::string(gang), At(object_, gang).AsInteger(), all);
    }
  }

  const JsonView object_;
  const workload::Workload& workload_;  // whose pod sets are where they are in the object
  std::vector<std::string> broken_;
};

}  // namespace

bool IsTheOneMaster(const Scale& scale) {
  return scale.pods.holder.ends_with("/pytorchReplicaSpecs/Master");
}

bool BreaksABound(JsonView before, JsonView after, const workload::Workload& workload) {
  const std::vector<std::string> broken = Bounds(after, workload).Broken();
  if (broken.empty()) return false;
  const std::vector<std::string> old = Bounds(before, workload).Broken();
  return std::any_of(broken.begin(), broken.end(), [&](const std::string& pointer) {
    return std::find(old.begin(), old.end(), pointer) == old.end();
  });
}

void FollowPods(JsonView object, const Scale& scale, std::int64_t pods, workload::Edits& edits) {
  const std::int64_t before = scale.pods.value.value_or(0);
  const auto follow = [&](std::string pointer, Number was, Number is, bool is_most = false) {
    const Number bound = At(object, pointer).AsInteger();
    if (!bound || !was || !is) return;
    const bool holds = is_most ? *bound >= *is : *bound <= *is;
    if (bound == was || !holds) edits.push_back({std::move(pointer), *is});
  };
  const std::string holder(scale.pods.holder);
  follow(holder + "/minAvailable", before, pods);
  const Number all = AllPods(object, scale);
  for (const std::string_view gang : kGangs) {
    follow(std::string(gang), all, all ? Number(*all - before + pods) : all);
  }
  if (!holder.ends_with("/Worker")) return;
  follow(std::string(kElastic) + "/minReplicas", before, pods);
  follow(std::string(kElastic) + "/maxReplicas", before, pods, true);
}

}  // namespace tpu_admission::repair
