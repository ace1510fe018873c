#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu403 {

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob || scale.may_be_indexed) return;
  if (scale.has_no_pods() || MayRunAlone(subject.pods.pod.spec)) return;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice && !subject.is_of_several_hosts_anywhere()) return;
  const std::string hosts = slice ? Counted(slice->hosts, "host") : "several hosts";
  const tpu::Topology& topology = slice ? slice->topology : *subject.shape.topology;
  report.Add(
      {.pointer = fmt::format("{}/completionMode", scale.pointer),
       .summary = fmt::format("Job on {} is not Indexed, so pods have no worker number", hosts),
       .problem = fmt::format(
           "is not Indexed, but the pods run on {} of {} slice and must know which worker each "
           "of them is. Only an Indexed Job gives its pods an index and a stable host name.",
           hosts, WithArticle(topology.Text())),
       .edits = {{fmt::format("{}/completionMode", scale.pointer), "Indexed"}}});
}

}  // namespace tpu403

const Rule kTPU403 = {
    .id = "TPU403",
    .name = "job-not-indexed",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu403::Check,
};

}  // namespace tpu_admission::rules
