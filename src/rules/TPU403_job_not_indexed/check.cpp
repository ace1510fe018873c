#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != workload::Counting::kJob || scale.indexed) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || !slice->multi_host() || scale.pods.value == 0) return;
  report.Add({.pointer = std::string(scale.pointer) + "/completionMode",
              .container = "",
              .summary = "Job on " + Count(slice->hosts, "host") +
                         " is not Indexed, so pods have no worker number",
              .problem = "is not Indexed, but the pods run on " + Count(slice->hosts, "host") +
                         " of a " + slice->topology.Text() +
                         " slice and must know which worker each of them is. "
                         "Only an Indexed Job gives its pods an index and a stable host name.",
              .change = "set completionMode to Indexed"});
}

}  // namespace

const Rule kTPU403 = {
    .id = "TPU403",
    .name = "job-not-indexed",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = Check,
};

}  // namespace tpu_admission::rules
