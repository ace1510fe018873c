#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const bool owned = !subject.workload.metadata.controller_kind.empty();
  if (subject.pods.scale.counting != workload::Counting::kNone || owned) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || !slice->multi_host()) return;
  const bool leads = subject.pods.row->leads;
  const std::string kind = leads ? "leading pod" : std::string(subject.workload.kind->name);
  report.Add({.pointer = subject.At(workload::NodeLabel::kTopology),
              .container = "",
              .summary = slice->topology.Text() + " has " + Count(slice->hosts, "host") + ", a " +
                         kind + " does not start pods for all of them together",
              .problem = "is " + slice->topology.Text() + ", " +
                         Count(slice->topology.chips(), "chip") + " on " +
                         Count(slice->hosts, "host") +
                         " that begin only when a pod runs on "
                         "each of them; a " +
                         kind + " by itself does not see to that.",
              .change = "use a Job with parallelism " + std::to_string(slice->pods) +
                        ", a JobSet or a LeaderWorkerSet, or select a single-host topology"});
}

}  // namespace

const Rule kTPU405 = {
    .id = "TPU405",
    .name = "multi-host-alone",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = Check,
};

}  // namespace tpu_admission::rules
