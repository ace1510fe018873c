#include "tpu_admission/admission/judge.h"

#include <algorithm>
#include <map>

#include "admission/decide.h"

namespace tpu_admission::admission {
namespace {

using State = Judgement::State;
using workload::PodSet;
using workload::Workload;

bool IsSuspended(k8s::JsonView object) {
  const k8s::JsonView spec = object["spec"];
  return spec["suspend"].IsTrue() || spec["runPolicy"]["suspend"].IsTrue();
}

bool AreKept(const k8s::StringMap& before, const k8s::StringMap& after) {
  std::map<std::string_view, std::optional<std::string_view>> values;  // a stranger's may be many
  for (std::size_t i = 0; i < after.size(); ++i)
    values.insert_or_assign(after.Key(i), after.Value(i));
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto value = values.find(before.Key(i));
    if (value == values.end() || value->second != before.Value(i)) return false;
  }
  return true;
}

// `after` asks for what `before` did, on the same nodes or on fewer.
bool OnlyGainsSelectors(const PodSet& before, const PodSet& after) {
  return before.chips_per_pod == after.chips_per_pod &&
         before.pod.spec.containers.size() == after.pod.spec.containers.size() &&
         AreKept(before.pod.spec.node_selector, after.pod.spec.node_selector);
}

// Kueue lets a workload go: it unsuspends an object, or takes the gate from a pod, and says on
// which nodes to run; of a gated pod somebody may say that before. A denial would reach a
// controller that tries for ever, and no user.
bool OnlyReleases(const Submission& submission, const Workload& before, const Workload& after) {
  const bool unsuspends = IsSuspended(submission.before) && !IsSuspended(submission.object);
  return std::all_of(after.pod_sets.begin(), after.pod_sets.end(), [&](const PodSet& pods) {
    const auto was = std::find_if(before.pod_sets.begin(), before.pod_sets.end(),
                                  [&](const PodSet& old) { return old.id() == pods.id(); });
    if (was == before.pod_sets.end() || !OnlyGainsSelectors(*was, pods)) return false;
    return unsuspends || was->pod.spec.gated;
  });
}

// Of an UPDATE two evaluations are held against each other.
constexpr std::size_t kMostBytesOfTwo = rules::Engine::kMostBytes / 2;

Result<Workload> Read(const Settings& settings, const Submission& submission, k8s::JsonView object,
                      k8s::Arena& arena) {
  return workload::ReadWorkload(settings.policy.kinds(), submission.gvk, object, arena);
}

// Findings are rare, so the old object is read only when there are some.
Decision DecideUpdate(const Settings& settings, const Submission& submission,
                      rules::Evaluation evaluation, const Workload& after, k8s::Arena& arena) {
  Before before;
  rules::Evaluation old_evaluation;
  const Result<Workload> old = Read(settings, submission, submission.before, arena);
  if (old && !old->too_large) {  // else nothing of it excuses the new one
    old_evaluation = settings.engine.Evaluate(*old, kMostBytesOfTwo);
    before.workload = &*old;
    before.evaluation = &old_evaluation;
    before.object = submission.before;
    before.replaced_by = submission.object;
    before.faults = FaultsOf(old_evaluation, *old, settings.policy, submission.namespace_name);
    before.same_pods = workload::SamePods(*after.kind, submission.before, submission.object);
    before.only_releases = OnlyReleases(submission, *old, after);
  }
  return Decide(
      std::move(evaluation), after, settings.policy,
      {submission.namespace_name, submission.today, &before, submission.speaks_for_owner});
}

Decision DecisionOn(const Settings& settings, const Submission& submission,
                    const Workload& workload, k8s::Arena& arena) {
  const bool update = submission.before.present();
  if (update && workload::SamePodsAndCounts(*workload.kind, submission.before, submission.object)) {
    return {};
  }
  rules::Evaluation evaluation =
      settings.engine.Evaluate(workload, update ? kMostBytesOfTwo : rules::Engine::kMostBytes);
  if (update && !(evaluation.findings.empty() && evaluation.of_alternatives.empty())) {
    return DecideUpdate(settings, submission, std::move(evaluation), workload, arena);
  }
  return Decide(
      std::move(evaluation), workload, settings.policy,
      {submission.namespace_name, submission.today, nullptr, submission.speaks_for_owner});
}

}  // namespace

Judgement Judge(const Settings& settings, const Submission& submission, k8s::Arena& arena) {
  Judgement judgement;
  const k8s::JsonView metadata = submission.object["metadata"];
  if (metadata["deletionTimestamp"].has_value()) return judgement;
  Result<Workload> workload = Read(settings, submission, submission.object, arena);
  if (!workload) {
    judgement.state = State::kUnreadable;
    judgement.reason = workload.error().message;
    return judgement;
  }
  judgement.workload = *std::move(workload);
  judgement.workload.companions = submission.companions;
  if (judgement.workload.too_large) {
    judgement.state = State::kNotChecked;
    judgement.reason = judgement.workload.not_judged;
  } else if (!judgement.workload.pod_sets.empty()) {
    judgement.state = State::kJudged;
    judgement.decision = DecisionOn(settings, submission, judgement.workload, arena);
  }
  return judgement;
}

}  // namespace tpu_admission::admission
