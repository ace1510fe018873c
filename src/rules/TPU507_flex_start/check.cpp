#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <optional>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu507 {

constexpr std::array<std::string_view, 4> kIncompatible = {
    workload::kGkeSpot, workload::kGkePreemptible, workload::kGkeReservation,
    workload::kGkeReservationAffinity};
constexpr std::int64_t kShortest = 600;              // seconds
constexpr std::int64_t kLongest = 7 * 24 * 60 * 60;  // seconds

// No node of the accelerator is made by flex-start, whatever else the pod selects: capacity-type
// speaks of it.
bool HasNoFlexStart(const Subject& subject) {
  const tpu::Generation* const generation = subject.shape.generation;
  return generation != nullptr && generation->consumption.flex_start == tpu::Availability::kNo;
}

void Add(const Subject& subject, const workload::RequiredLabel& at, std::string summary,
         std::string problem, workload::Edits edits, std::string change, Report& report) {
  report.Add({.pointer = subject.At(at),
              .summary = std::move(summary),
              .problem = std::move(problem),
              .edits = std::move(edits),
              .change = std::move(change),
              .decision = "which kind of capacity is meant, and for how long"});
}

// Whatever is left out beside it, the accelerator has no such nodes: capacity-type speaks of that.
bool IsRefusedAnyway(const Subject& subject) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const auto flex = workload::FindRequired(spec, workload::kGkeFlexStart);
  const auto provisioning = workload::FindRequired(spec, workload::kGkeProvisioning);
  return HasNoFlexStart(subject) &&
         ((flex && flex->Is("true")) || (provisioning && provisioning->Is("flex-start")));
}

void CheckOthers(const Subject& subject, Report& report) {
  for (const std::string_view key : kIncompatible) {
    const auto other = workload::FindRequired(subject.pods.pod.spec, key);
    if (!other || !other->fixed || other->value == "none" || other->value == "false") continue;
    report.Add({.pointer = subject.At(*other),
                .summary = fmt::format("flex-start and {} are selected together", key),
                .problem = "cannot go with flex-start: GKE makes no node that is both.",
                .change = fmt::format("leave out {}, or flex-start", key),
                .decision = "which kind of capacity is meant, and for how long",
                .told_by_another = IsRefusedAnyway(subject),
                .of_pod = "another kind of capacity"});
    return;
  }
}

void CheckRunTime(const Subject& subject, Report& report) {
  const auto limit = workload::FindRequired(subject.pods.pod.spec, workload::kGkeMaxRunDuration);
  if (!limit || !limit->fixed) return;
  const std::optional<k8s::Quantity> seconds = k8s::Quantity::Parse(limit->value);
  const std::optional<std::int64_t> whole = seconds ? seconds->AsInteger() : std::nullopt;
  if (whole && *whole >= kShortest && *whole <= kLongest) return;
  workload::Edits edits;
  if (whole) {
    edits = Selecting(subject, *limit, std::to_string(std::clamp(*whole, kShortest, kLongest)));
  }
  std::string words = whole ? "" : "set it to 600 to 604800 seconds";
  Add(subject, *limit, "run time of flex-start nodes is not between 10 minutes and 7 days",
      fmt::format("is {}, but flex-start nodes are lent for 600 to 604800 seconds.",
                  Quoted(limit->value)),
      std::move(edits), std::move(words), report);
}

void CheckValue(const Subject& subject, const workload::RequiredLabel& flex, Report& report) {
  // Whoever wrote "false" does not want such nodes: those that are no such lack the label.
  const bool unwanted = flex.value == "false" || HasNoFlexStart(subject);
  workload::Edits edits = unwanted ? Without(subject, flex) : Selecting(subject, flex, "true");
  std::string words = !unwanted ? ", or leave it out" : edits.empty() ? "leave it out" : "";
  const std::string none = HasNoFlexStart(subject) ? fmt::format(", and {} has no such nodes",
                                                                 subject.shape.generation->label)
                                                   : "";
  Add(subject, flex,
      fmt::format("gke-flex-start is {}, only \"true\" is a value", Quoted(flex.value)),
      fmt::format("is {}, but the label of flex-start nodes is \"true\"{}.", Quoted(flex.value),
                  none),
      std::move(edits), std::move(words), report);
}

// Nothing but a toleration speaks of flex-start: that alone makes no node.
void CheckToleration(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  for (std::size_t i = 0; i < spec.tolerations.size(); ++i) {
    const k8s::Toleration& toleration = spec.tolerations[i];
    if (toleration.key != workload::kGkeFlexStart || toleration.value != "true") continue;
    // Kueue or a compute class may select what the pod does not.
    if (subject.workload.queued || workload::FindRequired(spec, workload::kGkeComputeClass)) return;
    report.Add({.pointer = subject.AtSpec("/tolerations", i),
                .summary = "flex-start is tolerated, but not selected",
                .problem = "tolerates flex-start nodes, but the pod does not select them: GKE "
                           "makes no node for it.",
                .edits = {{PointerBelow(subject.AtSpec("/nodeSelector"), workload::kGkeFlexStart),
                           "true"}},
                .change = " in nodeSelector, or leave the toleration out",
                .milder = subject.cluster.platform == Platform::kAutopilot
                              ? std::nullopt
                              : std::optional(Mode::kAudit)});
    return;
  }
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const auto flex = workload::FindRequired(spec, workload::kGkeFlexStart);
  const auto provisioning = workload::FindRequired(spec, workload::kGkeProvisioning);
  if (!flex && !(provisioning && provisioning->Is("flex-start"))) {
    if (!provisioning || provisioning->fixed) CheckToleration(subject, report);
    return;
  }
  if (flex && flex->fixed && flex->value != "true") {
    CheckValue(subject, *flex, report);
    const bool stays = flex->value != "false" && !HasNoFlexStart(subject);
    if (stays) CheckOthers(subject, report);
    return;
  }
  if (flex && provisioning && provisioning->fixed && provisioning->value != "flex-start") {
    Add(subject, *provisioning,
        fmt::format("flex-start is selected with gke-provisioning {}", Quoted(provisioning->value)),
        fmt::format("is {}, but flex-start nodes have flex-start there.",
                    Quoted(provisioning->value)),
        Selecting(subject, *provisioning, "flex-start"), ", or leave it out", report);
    return;
  }
  CheckOthers(subject, report);
  CheckRunTime(subject, report);
}

}  // namespace tpu507

const Rule kTPU507 = {
    .id = "TPU507",
    .name = "flex-start",
    .mode = Mode::kWarn,
    .check = tpu507::Check,
    .audience = kNodeSelectors,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
