#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <optional>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/reservation.h"

namespace tpu_admission::rules {
namespace tpu505 {

constexpr std::array<std::string_view, 4> kAffinities = {"specific", "any",
                                                         "any-reservation-then-fail", "none"};

struct Fault {
  workload::RequiredLabel at;
  std::string summary;
  std::string problem;
  std::string change;
  workload::Edits edits = {};
};

// What is wrong with the affinity itself, and with it beside `named`, the reservation's name.
std::optional<Fault> FaultOfAffinity(const Subject& subject,
                                     const workload::RequiredLabel& affinity, bool named) {
  if (!affinity.fixed || affinity.value == "specific") {
    if (named || !affinity.fixed) return std::nullopt;
    return Fault{affinity, "reservation affinity is specific, but no reservation is named",
                 "is specific, but nothing says which reservation is meant.",
                 "add cloud.google.com/reservation-name, or leave the affinity out"};
  }
  const std::string value = Quoted(affinity.value);
  const std::string to_specific =
      fmt::format("set it to specific and add {}", workload::kGkeReservation);
  // The name says what is meant.
  const workload::Edits edits =
      named ? Selecting(subject, affinity, "specific") : workload::Edits();
  if (std::find(kAffinities.begin(), kAffinities.end(), affinity.value) == kAffinities.end()) {
    return Fault{affinity, fmt::format("reservation affinity {} is none that GKE knows", value),
                 fmt::format("is {}, which is none that GKE knows. TPUs use a reservation by its "
                             "name and affinity specific.",
                             value),
                 named ? "" : to_specific, edits};
  }
  if (named) {
    return Fault{
        affinity, fmt::format("reservation affinity {} does not go with a name", value),
        fmt::format(
            "is {}, but a reservation is named, and a name goes with affinity specific only.",
            value),
        ", or leave out cloud.google.com/reservation-name", edits};
  }
  if (affinity.value != "any") return std::nullopt;
  return Fault{affinity, "reservation affinity any is refused for TPUs",
               "is any, which GKE refuses for TPUs: it makes no node for this pod.", to_specific};
}

// A label for each part in the place of the path. Nothing if some of them say something else.
workload::Edits InLabels(const Subject& subject, const workload::RequiredLabel& named,
                         const workload::Reservation& reservation) {
  workload::Edits all;
  if (named.term != workload::Selected::kInNodeSelector) return all;
  for (const auto& [key, value] : workload::LabelsOf(reservation)) {
    const auto now = workload::FindRequired(subject.pods.pod.spec, key);
    if (now && now->value != named.value && !now->Is(value)) return {};
    const workload::Edits edits = Selecting(subject, {.key = key}, std::string(value));
    all.insert(all.end(), edits.begin(), edits.end());
  }
  return all;
}

// What Compute Engine calls it, in a label.
std::optional<Fault> FaultOfPath(const Subject& subject, const workload::RequiredLabel& named) {
  const std::string_view path = named.value;
  if (!named.fixed || path.find('/') == path.npos) return std::nullopt;
  Fault fault{named, "the reservation is named by a path",
              fmt::format("is {}, a path, but the value of a label has no slash: the API server "
                          "refuses each pod with this selector.",
                          Quoted(path)),
              ""};
  const std::optional<workload::Reservation> reservation = workload::ReadReservation(path);
  if (!reservation) {
    fault.change =
        fmt::format("set {} to the name of the reservation alone", workload::kGkeReservation);
    return fault;
  }
  fault.edits = InLabels(subject, named, *reservation);
  if (fault.edits.empty()) {
    fault.change = "give each part of it a label of its own, and let no other say something else";
  }
  return fault;
}

// What is wrong with the parts of a reservation, which are named by its own name.
std::optional<Fault> FaultOfBlocks(const k8s::PodSpec& spec, bool named) {
  const auto block = workload::FindRequired(spec, workload::kGkeReservationBlocks);
  if (block && !named) {
    return Fault{*block, "a reservation block is selected, but no reservation",
                 "names a block, but nothing says of which reservation.",
                 "add cloud.google.com/reservation-name, or leave the block out"};
  }
  const auto sub_block = workload::FindRequired(spec, workload::kGkeReservationSubBlocks);
  if (!sub_block || block) return std::nullopt;
  return Fault{*sub_block, "a reservation sub-block is selected, but no block",
               "names a sub-block, but nothing says of which block.",
               "add cloud.google.com/reservation-blocks, or leave the sub-block out"};
}

void Add(const Subject& subject, std::optional<Fault> fault, std::string part, Report& report) {
  if (!fault) return;
  report.Add({.pointer = subject.At(fault->at),
              .part = std::move(part),
              .summary = std::move(fault->summary),
              .problem = std::move(fault->problem),
              .edits = std::move(fault->edits),
              .change = std::move(fault->change),
              .decision = "which reservation is meant",
              .milder = subject.cluster.platform == Platform::kAutopilot
                            ? subject.MissingSelectorMode()
                            : std::optional(Mode::kWarn)});
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const auto named = workload::FindRequired(spec, workload::kGkeReservation);
  const auto affinity = workload::FindRequired(spec, workload::kGkeReservationAffinity);
  const std::optional<Fault> path = named ? FaultOfPath(subject, *named) : std::nullopt;
  Add(subject, path, "path", report);
  if (affinity) Add(subject, FaultOfAffinity(subject, *affinity, named.has_value()), "", report);
  // A path may name the block.
  if (!path) Add(subject, FaultOfBlocks(spec, named.has_value()), "", report);
}

}  // namespace tpu505

const Rule kTPU505 = {
    .id = "TPU505",
    .name = "reservation",
    .mode = Mode::kDeny,
    .check = tpu505::Check,
    .audience = kNodeSelectors,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
