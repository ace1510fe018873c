#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu505 {

constexpr std::array<std::string_view, 4> kAffinities = {"specific", "any",
                                                         "any-reservation-then-fail", "none"};

struct Fault {
  workload::RequiredLabel at;
  std::string summary;
  std::string problem;
  std::string change;
};

// What is wrong with the affinity itself, and with it beside `named`, the reservation's name.
std::optional<Fault> FaultOfAffinity(const workload::RequiredLabel& affinity, bool named) {
  if (!affinity.fixed || affinity.value == "specific") {
    if (named || !affinity.fixed) return std::nullopt;
    return Fault{affinity, "reservation affinity is specific, but no reservation is named",
                 "is specific, but nothing says which reservation is meant.",
                 "add cloud.google.com/reservation-name, or leave the affinity out"};
  }
  const std::string value = Quoted(affinity.value);
  const std::string to_specific =
      named ? "set it to specific"
            : fmt::format("set it to specific and add {}", workload::kGkeReservation);
  if (std::find(kAffinities.begin(), kAffinities.end(), affinity.value) == kAffinities.end()) {
    return Fault{affinity, fmt::format("reservation affinity {} is none that GKE knows", value),
                 fmt::format("is {}, which is none that GKE knows. TPUs use a reservation by its "
                             "name and affinity specific.",
                             value),
                 to_specific};
  }
  if (named) {
    return Fault{
        affinity, fmt::format("a reservation is named, but the reservation affinity is {}", value),
        fmt::format(
            "is {}, but a reservation is named, and a name goes with affinity specific only.",
            value),
        "set it to specific, or leave out cloud.google.com/reservation-name"};
  }
  if (affinity.value != "any") return std::nullopt;
  return Fault{affinity, "reservation affinity any is refused for TPUs",
               "is any, which GKE refuses for TPUs: it makes no node for this pod.", to_specific};
}

// Of "projects/p/reservations/r/reservationBlocks/b" what stands behind `kind`.
std::string_view PartOf(std::string_view path, std::string_view kind) {
  const std::size_t begin = path.find(kind);
  if (begin == path.npos) return {};
  const std::string_view rest = path.substr(begin + kind.size());
  return rest.substr(0, rest.find('/'));
}

// What Compute Engine calls it, in a label.
std::optional<Fault> FaultOfPath(const workload::RequiredLabel& named) {
  const std::string_view path = named.value;
  if (!named.fixed || path.find('/') == path.npos) return std::nullopt;
  const std::string_view in_project = PartOf(path, "reservations/");
  std::string change =
      fmt::format("set {} to {}", workload::kGkeReservation,
                  Printable(in_project.empty() ? path.substr(0, path.find('/')) : in_project));
  std::string_view join = "; select also ";
  const std::pair<std::string_view, std::string_view> others[] = {
      {workload::kGkeReservationProject, PartOf(path, "projects/")},
      {workload::kGkeReservationBlocks, PartOf(path, "/reservationBlocks/")},
      {workload::kGkeReservationSubBlocks, PartOf(path, "/reservationSubBlocks/")}};
  for (const auto& [key, part] : others) {
    if (part.empty()) continue;
    change += fmt::format("{}{}: {}", std::exchange(join, ", "), key, Printable(part));
  }
  return Fault{named, "the reservation is named by a path",
               fmt::format("is {}, a path, but the value of a label has no slash: the API server "
                           "refuses each pod with this selector.",
                           Quoted(path)),
               change};
}

std::optional<Fault> FindFault(const k8s::PodSpec& spec) {
  const auto named = workload::FindRequired(spec, workload::kGkeReservation);
  if (named) {
    if (auto fault = FaultOfPath(*named)) return fault;
  }
  if (const auto affinity = workload::FindRequired(spec, workload::kGkeReservationAffinity)) {
    if (auto fault = FaultOfAffinity(*affinity, named.has_value())) return fault;
  }
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

void Check(const Subject& subject, Report& report) {
  std::optional<Fault> fault = FindFault(subject.pods.pod.spec);
  if (!fault) return;
  report.Add({.pointer = subject.At(fault->at),
              .summary = std::move(fault->summary),
              .problem = std::move(fault->problem),
              .change = std::move(fault->change),
              .decision = "which reservation is meant",
              .milder = subject.cluster.platform == Platform::kAutopilot
                            ? subject.MissingSelectorMode()
                            : std::optional(Mode::kWarn)});
}

}  // namespace tpu505

const Rule kTPU505 = {
    .id = "TPU505",
    .name = "reservation",
    .mode = Mode::kDeny,
    .check = tpu505::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
