#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules {
namespace tpu405 {

// Kueue lets the pods of a group go when all of them are there. How many they are is not always
// written in numbers.
bool StartsInGroup(const Subject& subject, const Slice& slice) {
  const k8s::ObjectMeta& pod = subject.workload.metadata;
  const bool grouped =
      pod.labels.Has(workload::kKueuePodGroup) && pod.labels.Has(workload::kKueueQueue);
  if (!subject.is_pod() || !grouped) return false;
  const auto text = pod.annotations.Find(workload::kKueuePodGroupCount);
  const std::optional<std::int64_t> total = text ? WholeNumber(*text) : std::nullopt;
  return !total || *total >= slice.hosts;
}

// As the documentation of its kind calls it.
std::string_view LeadingPod(std::string_view path) {
  if (path.find("leaderTemplate") != path.npos) return "the leader";
  if (path.find("headGroupSpec") != path.npos) return "the head pod";
  return path.find("submitter") != path.npos ? "the submitter pod" : "the controller pod";
}

// ", or ask for 8 chips (2x4 is also one host of 8)" where it is.
std::string AskForAHost(const Subject& subject) {
  for (const tpu::Placement& placement : subject.shape.placements) {
    if (placement.multi_host()) continue;
    return fmt::format(", or ask for {} ({} is also one host of {})",
                       Counted(placement.chips_per_host(), "chip"), placement.topology.Text(),
                       placement.chips_per_host());
  }
  return "";
}

// What serves goes on, and a Job ends.
std::string Change(const Subject& subject, std::int64_t pods) {
  const bool serves = subject.workload.kind->group == "apps";
  const std::string jobs = fmt::format("a JobSet whose Job has parallelism {}", pods);
  const std::string group = fmt::format("a LeaderWorkerSet of size {}", pods);
  return fmt::format("use {}, or {}{}, or select a single-host topology", serves ? group : jobs,
                     serves ? jobs : group, AskForAHost(subject));
}

void Check(const Subject& subject, Report& report) {
  const bool owned = !subject.workload.metadata.controller_kind.empty();
  if (subject.pods.scale.counting != workload::Counting::kNone || owned) return;
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice || StartsInGroup(subject, *slice)) return;
  if (MayRunAlone(subject.pods.pod.spec)) return;
  const bool leads = subject.pods.row->leads;
  const std::string who = leads ? std::string(LeadingPod(subject.pods.row->path))
                                : WithArticle(subject.workload.kind->name);
  report.Add(
      {.pointer = subject.At(workload::NodeLabel::kTopology),
       .summary = fmt::format("{} has {}, {} does not start pods on all of them",
                              slice->topology.Text(), Counted(slice->hosts, "host"), who),
       .problem = fmt::format("is {}, {} on {} that begin only when a pod runs on each of "
                              "them; {} by itself does not see to that.",
                              slice->topology.Text(), Counted(slice->topology.chips(), "chip"),
                              Counted(slice->hosts, "host"), who),
       .change = leads ? "take google.com/tpu and the TPU selectors away from " + who +
                             ", and let the workers be all hosts of the slice"
                       : Change(subject, slice->pods),
       .decision = "which kind of object is to make the pods of the slice"});
}

}  // namespace tpu405

const Rule kTPU405 = {
    .id = "TPU405",
    .name = "multi-host-alone",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu405::Check,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
