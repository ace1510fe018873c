#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "rules/engine/worker_rules.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace tpu803 {

void ReportNoNames(const k8s::Container& container, const Slice& slice, Report& report) {
  const std::string workers = Counted(slice.pods, "worker");
  report.Add(
      container,
      {.summary = fmt::format("nobody names the {} of the slice: no TPU_WORKER_HOSTNAMES", workers),
       .problem = fmt::format("is one of {} of {}, but nothing tells it who they are: the TPU "
                              "runtime waits for workers that it cannot find.",
                              workers, slice.topology.Text()),
       .change = "set TPU_WORKER_ID and TPU_WORKER_HOSTNAMES, or use a JobSet or a "
                 "LeaderWorkerSet, whose workers are told, or a StatefulSet, whose workers "
                 "tpu-admission tells",
       .decision = "who tells the workers who they are"});
}

void ReportNoNumber(const k8s::Container& container, const Slice& slice, Report& report) {
  report.Add(
      container,
      {.summary =
           fmt::format("no TPU_WORKER_ID: the worker does not know which of {} it is", slice.pods),
       .problem = fmt::format("has the names of the {}, but no TPU_WORKER_ID: JAX stops at its "
                              "start, for it does not know which of them it is.",
                              Counted(slice.pods, "worker")),
       .change = "set TPU_WORKER_ID to the pod's number (its place in the list, from 0)",
       .decision = "which number the worker has"});
}

void Check(const Subject& subject, Report& report) {
  if (!subject.is_pod()) return;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice || slice->pods < 2) return;
  if (slice->pods * subject.pods.chips_per_pod != slice->topology.chips()) return;
  // Other rules speak about the workers whom we tell, and about a pod that is alone.
  const bool is_served = IsToBeTold(subject);
  const bool is_alone = subject.workload.metadata.controller_kind.empty();
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (!container.Stays() || !workload::UsesTpu(container)) continue;
    if (RunsAlone(container) || HasEnvFrom(container)) continue;
    const bool has_number = container.HasEnv(workload::kTpuWorkerId);
    if (HasNames(container)) {
      if (!has_number) ReportNoNumber(container, *slice, report);
    } else if (!is_served && (!is_alone || has_number)) {
      ReportNoNames(container, *slice, report);
    }
  }
}

}  // namespace tpu803

const Rule kTPU803 = {
    .id = "TPU803",
    .name = "worker-untold",
    .mode = Mode::kWarn,
    .check = tpu803::Check,
};

}  // namespace tpu_admission::rules
