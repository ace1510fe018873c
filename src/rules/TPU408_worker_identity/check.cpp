#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/host_names.h"
#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace tpu408 {

using workload::Counting;

// A value that is the same in every pod.
std::optional<std::string_view> Literal(const k8s::Container& container, std::string_view name) {
  const std::optional<std::string_view> value = container.EnvValue(name);
  return value && !workload::IsPlaceholder(*value) ? value : std::nullopt;
}

bool HasOwnNumbers(const k8s::PodSpec& spec) {
  return std::any_of(spec.containers.begin(), spec.containers.end(), [](const auto& container) {
    return container.HasEnv(workload::kTpuWorkerId) ||
           container.HasEnv(workload::kTpuWorkerHostNames) || RunsAlone(container);
  });
}

// The pods of one slice that are made from this very template.
std::int64_t PodsOfTemplate(const Subject& subject) {
  const workload::Scale& scale = subject.pods.scale;
  const std::int64_t pods = scale.pods.value.value_or(0);
  if (scale.counting != Counting::kGroup) return pods;
  const bool has_leader = workload::LeaderOf(subject.workload.pod_sets) != nullptr;
  return pods - (has_leader ? 1 : scale.leaders_without_tpus);
}

void CheckId(const Subject& subject, const k8s::Container& container, const Slice& slice,
             Report& report) {
  const std::int64_t pods = PodsOfTemplate(subject);
  if (pods < 2 || !Literal(container, workload::kTpuWorkerId) || RunsAlone(container)) return;
  const std::string id(Printable(*Literal(container, workload::kTpuWorkerId)));
  report.Add(
      container,
      {.pointer = subject.AtEnv(container, workload::kTpuWorkerId),
       .summary = fmt::format("all {} would have TPU_WORKER_ID {}", Counted(pods, "pod"), id),
       .problem = fmt::format("is {} in every one of the {} made from this template, but "
                              "the {} of {} must number themselves from 0.",
                              id, Counted(pods, "pod"), Counted(slice.hosts, "host"),
                              slice.topology.Text()),
       .change = "remove TPU_WORKER_ID, or take it from the pod's own index",
       .decision = "who tells the workers their numbers"});
}

// Whether "$(NAME)" in a value is one word, whoever sets it: a number, or what a label or a
// field of the pod says. (Any other annotation may hold a list.)
bool IsOneWord(const k8s::Container& container, std::string_view name) {
  constexpr std::string_view kCompletionIndex = "JOB_COMPLETION_INDEX";
  if (const auto value = container.EnvValue(name)) return value->find_first_of(",$") == value->npos;
  if (name == kCompletionIndex || name == workload::kTpuWorkerId) return true;
  if (!container.HasEnv(name)) return false;
  const std::string_view path =
      container.json["env"]
          .Element(container.EnvIndex(name))["valueFrom"]["fieldRef"]["fieldPath"]
          .StringOr("");
  return !path.empty() && !path.ends_with("IPs") &&
         (!path.starts_with("metadata.annotations") ||
          path.find("job-completion-index") != path.npos);
}

// How many names a list has in every pod; nothing if that depends on what others put into it.
std::optional<std::int64_t> NamesIn(const k8s::Container& container, std::string_view list) {
  const std::int64_t names = CountHostNames(list);
  if (!workload::IsPlaceholder(list)) return names;
  constexpr std::size_t kLongest = 1024;
  if (list.size() > kLongest || list.find_first_of("{<") != list.npos) return std::nullopt;
  for (std::size_t at = list.find('$'); at != list.npos; at = list.find('$', at + 1)) {
    const std::size_t end = list.find(')', at);
    if (end == list.npos || list[at + 1] != '(') return std::nullopt;
    if (!IsOneWord(container, list.substr(at + 2, end - at - 2))) return std::nullopt;
  }
  return names;
}

void CheckHosts(const Subject& subject, const k8s::Container& container, const Slice& slice,
                Report& report) {
  const auto value = container.EnvValue(workload::kTpuWorkerHostNames);
  const bool is_own_field = !value && IsOneWord(container, workload::kTpuWorkerHostNames);
  if ((!value && !is_own_field) || RunsAlone(container)) return;
  const std::int64_t names = is_own_field ? 1 : NamesIn(container, *value).value_or(slice.pods);
  const bool too_many = HasTooManyNames(names, slice, ProcessOf(subject, container).of);
  const bool too_few = slice.multi_host() && names < slice.pods;
  if (!too_few && !too_many) return;
  report.Add(
      container,
      {.pointer = subject.AtEnv(container, workload::kTpuWorkerHostNames, value ? "/value" : ""),
       .summary =
           fmt::format("TPU_WORKER_HOSTNAMES has {}, a slice of {} has {}", Counted(names, "name"),
                       slice.topology.Text(), Counted(slice.pods, "pod")),
       .problem = fmt::format("has {}, but a slice of {} has {}: {}.", Counted(names, "name"),
                              slice.topology.Text(), Counted(slice.pods, "pod"),
                              too_many ? kAllAreWaitedFor : kNotFoundByOthers),
       .change = fmt::format("{}remove {}",
                             slice.pods == 1
                                 ? ""
                                 : fmt::format("name all {} in the order of their numbers, or ",
                                               Counted(slice.pods, "pod")),
                             workload::kTpuWorkerHostNames),
       .decision = "what the other workers are called"});
}

// LeaderWorkerSet counts a leader with chips as worker 0 of the slice, wherever it runs.
// kubernetes-sigs/lws pkg/utils/accelerators/tpu.go
void CheckLeader(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (!scale.leader_has_others || scale.sub_group > 0) return;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice || HasOwnNumbers(subject.pods.pod.spec)) return;
  if (subject.may_be_counted_with_others()) return;
  report.Add({.pointer = std::string(workload::LeaderOf(subject.workload.pod_sets)->spec_pointer),
              .part = "leader",
              .summary = "the leader is worker 0, but of another slice",
              .problem = fmt::format("asks for google.com/tpu on other nodes than the workers. "
                                     "LeaderWorkerSet takes a leader with chips for worker 0, so "
                                     "the workers of the {} are told {} names and numbers from 1 "
                                     "on: the slice waits for a worker 0 that it does not have.",
                                     slice->topology.Text(), scale.pods.value.value_or(0)),
              .change = "give the leader the accelerator and topology of its workers, or take "
                        "google.com/tpu and the TPU selectors away from it",
              .decision = "whether the leader is one of the workers"});
}

// kubernetes-sigs/lws#917: with sub-groups of one pod it takes the leader for one pod too many.
void CheckSubGroupsOfOne(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  const bool leader_has_chips = scale.leaders_without_tpus == 0 && !scale.leader_has_others;
  const std::int64_t size = scale.pods.value.value_or(0);
  if (scale.counting != Counting::kGroup || scale.sub_group != 1 || size < 2) return;
  if (subject.pods.row->leads || !leader_has_chips || HasOwnNumbers(subject.pods.pod.spec)) return;
  report.Add({.pointer = fmt::format("{}/subGroupPolicy/subGroupSize", scale.pointer),
              .part = "sub-groups",
              .summary = "older LeaderWorkerSets number sub-groups of one pod wrongly",
              .problem = fmt::format(
                  "is 1, and all {} ask for chips. A LeaderWorkerSet without the fix of its issue "
                  "917 tells the leader TPU_WORKER_ID -1, and workers the host names of others.",
                  Counted(size, "pod")),
              .change = "remove subGroupPolicy and set size to 1 (each pod is a group of its own, "
                        "so replicas grows as much), or use a LeaderWorkerSet with that fix",
              .decision = "which LeaderWorkerSet the cluster has"});
}

void Check(const Subject& subject, Report& report) {
  const Counting counting = subject.pods.scale.counting;
  if (counting == Counting::kNone || subject.is_pod()) return;
  CheckLeader(subject, report);
  CheckSubGroupsOfOne(subject, report);
  std::optional<Slice> slice;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (!container.HasEnv(workload::kTpuWorkerId) &&
        !container.HasEnv(workload::kTpuWorkerHostNames))
      continue;
    if (!slice) slice = subject.SliceOfPods();
    if (!slice) return;
    if (slice->multi_host()) CheckId(subject, container, *slice, report);
    CheckHosts(subject, container, *slice, report);
  }
}

}  // namespace tpu408

const Rule kTPU408 = {
    .id = "TPU408",
    .name = "worker-identity",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu408::Check,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
