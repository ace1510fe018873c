#include <fmt/core.h>

#include "rules/engine/host_names.h"
#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "rules/engine/worker_rules.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace tpu804 {

void ReportRange(const Subject& subject, const k8s::Container& container, std::string_view found,
                 std::int64_t workers, Report& report) {
  report.Add(container,
             {.pointer = subject.AtEnv(container, workload::kTpuWorkerId),
              .summary = fmt::format("TPU_WORKER_ID is {}, the workers of the slice are 0 to {}",
                                     Quoted(found), workers - 1),
              .problem = fmt::format("is {}, but the slice has {}, numbered from 0 to {}: the TPU "
                                     "runtime finds no place for this one.",
                                     Quoted(found), Counted(workers, "worker"), workers - 1),
              .change = "take the pod's number within its slice",
              .decision = "which number the worker has"});
}

// The name at the worker's place, in a list with a name for each of `workers`.
std::string_view NameAt(std::string_view list, std::int64_t place) {
  for (; place > 0; --place) TakeHostName(list);
  return TakeHostName(list);
}

void CheckPlace(const Subject& subject, const k8s::Container& container, std::int64_t number,
                const Process& process, std::int64_t pods, Report& report) {
  const std::optional<HostNameList> names = HostNamesOf(container);
  if (!names || names->text.size() > kLongestVariable) return;
  const std::int64_t count = CountHostNames(names->text);
  if (count != pods && count != pods * process.of) return;
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const std::string_view name = NameAt(names->text, count == pods ? number / process.of : number);
  const std::string_view host = DnsLabelOf(name, 0);
  const std::string_view own = spec.Text("hostname");
  // Only a name in the pod's own Service is certainly the name of a pod.
  const bool is_pod = DnsLabelOf(name, 1) == spec.Text("subdomain") && !own.empty();
  if (!is_pod || DnsLabelOf(name, 1).empty() || host == own) return;
  report.Add(container,
             {.pointer = subject.AtEnv(container, workload::kTpuWorkerId),
              .summary = fmt::format("TPU_WORKER_ID is {}, where the name is {}, not {}", number,
                                     Quoted(host, 40), Quoted(own, 40)),
              .problem = fmt::format("is {}, but at this place of {} stands {}, and the pod is "
                                     "called {}: the others look for this worker elsewhere.",
                                     number, names->variable, Quoted(host, 63), Quoted(own, 63)),
              .change = "number the workers in the order of their names (from 0)",
              .decision = "which number the worker has"});
}

// A pod of a StatefulSet has its number at the end of its name, and does not say where its numbers
// begin. https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#start-ordinal
void CheckFirst(const Subject& subject, Report& report) {
  const std::int64_t first = subject.pods.scale.first_number.value_or(0);
  const std::optional<Slice> slice = first > 0 ? subject.MultiHostSlice() : std::nullopt;
  if (!slice || first % slice->pods == 0) return;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (!container.Stays() || !workload::UsesTpu(container)) continue;
    if (HasNames(container) || RunsAlone(container)) continue;
    report.Add(
        container,
        {.pointer = "/spec/ordinals/start",
         .summary = fmt::format("the pods are numbered from {}, in slices of {}", first,
                                Counted(slice->pods, "worker")),
         .problem = fmt::format(
             "is {}, and a slice has {}: the workers are told names by the number at the end of "
             "their own, slice by slice from 0, so some would look for pods that are not there.",
             first, Counted(slice->pods, "worker")),
         .change = fmt::format("take 0 or a multiple of {}, or set TPU_WORKER_ID and "
                               "TPU_WORKER_HOSTNAMES in the template",
                               slice->pods),
         .decision = "at which number the pods begin"});
    return;
  }
}

void Check(const Subject& subject, Report& report) {
  if (subject.pods.scale.counting == workload::Counting::kReplicas) CheckFirst(subject, report);
  if (!subject.is_pod()) return;
  std::optional<Slice> slice;
  int looked_at = 0;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    if (!container.Stays() || !workload::UsesTpu(container)) continue;
    const std::optional<std::string_view> text = WorkerIdOf(container);
    if (!text || RunsAlone(container)) continue;
    if (++looked_at > kMostProcesses) return;
    if (!slice) slice = subject.MultiHostSlice();
    if (!slice) return;
    const Process process = ProcessOf(subject, container);
    const std::int64_t workers = slice->pods * process.of;
    const std::optional<std::int64_t> number = WholeNumber(*text);
    if (!number || *number < 0 || *number >= workers) {
      ReportRange(subject, container, *text, workers, report);
    } else {
      CheckPlace(subject, container, *number, process, slice->pods, report);
    }
  }
}

}  // namespace tpu804

const Rule kTPU804 = {
    .id = "TPU804",
    .name = "worker-number",
    .mode = Mode::kWarn,
    .check = tpu804::Check,
};

}  // namespace tpu_admission::rules
