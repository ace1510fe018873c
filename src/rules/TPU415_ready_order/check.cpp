#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/pod_fields.h"

namespace tpu_admission::rules {
namespace tpu415 {

const k8s::Container* Probed(const k8s::PodSpec& spec) {
  const auto found =
      std::find_if(spec.containers.begin(), spec.containers.end(), [&](const auto& container) {
        return container.Stays() && ChipsOf(container) > 0 &&
               workload::HasReadinessProbe(spec, container);
      });
  return found == spec.containers.end() ? nullptr : &*found;
}

void Check(const Subject& subject, Report& report) {
  if (!subject.pods.scale.waits_for_ready) return;
  const bool by_leader = subject.workload.kind->name == "LeaderWorkerSet";
  if (!by_leader && subject.workload.kind->name != "StatefulSet") return;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  const k8s::Container* probed = Probed(subject.pods.pod.spec);
  if (!slice || probed == nullptr) return;
  report.Add(
      *probed,
      {.pointer = subject.At(*probed, "/readinessProbe"),
       .summary = fmt::format("{} must be ready before the other hosts of {} have pods",
                              Title(*probed), slice->topology.Text()),
       .problem = fmt::format(
           "is waited for: {} makes the other pods when this one is ready. TPU programs begin when "
           "all {} are there, so a probe of the program never succeeds.",
           by_leader ? "startupPolicy LeaderReady" : "podManagementPolicy OrderedReady",
           Counted(slice->hosts, "host")),
       .edits = {by_leader ? k8s::JsonEdit{"/spec/startupPolicy", "LeaderCreated"}
                           : k8s::JsonEdit{"/spec/podManagementPolicy", "Parallel"}}});
}

}  // namespace tpu415

// By reasoning, so it is only recorded: a probe may ask something that is up before the program.
const Rule kTPU415 = {
    .id = "TPU415",
    .name = "ready-order",
    .mode = Mode::kAudit,
    .check = tpu415::Check,
};

}  // namespace tpu_admission::rules
