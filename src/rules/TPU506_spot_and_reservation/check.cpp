#include <fmt/core.h>
#include <array>
#include <optional>

#include "rules/engine/phrases.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu506 {

struct Label {
  std::string_view key;
  std::string_view value;
};
constexpr std::array<Label, 4> kSpot = {{{workload::kGkeSpot, "true"},
                                         {workload::kGkePreemptible, "true"},
                                         {workload::kGkeProvisioning, "spot"},
                                         {workload::kGkeProvisioning, "preemptible"}}};

// What selects nodes of a reservation.
std::optional<workload::RequiredLabel> Reservation(const k8s::PodSpec& spec) {
  if (auto name = workload::FindRequired(spec, workload::kGkeReservation)) return name;
  auto affinity = workload::FindRequired(spec, workload::kGkeReservationAffinity);
  return affinity && affinity->fixed && affinity->value != "none" ? affinity : std::nullopt;
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  for (const auto& [key, value] : kSpot) {
    const auto spot = workload::FindRequired(spec, key);
    if (!spot || !spot->Is(value)) continue;
    const auto reservation = Reservation(spec);
    if (!reservation) return;
    const std::string label(key);
    report.Add({.pointer = subject.At(*spot),
                .summary = fmt::format("{} and a reservation are selected together", label),
                .problem = fmt::format("asks for Spot or preemptible nodes, but {} asks for nodes "
                                       "of a reservation, which are never Spot.",
                                       reservation->key),
                .change = fmt::format("leave out {} or the reservation-* labels", label),
                .decision = "whether Spot or the reservation is meant"});
    return;
  }
}

}  // namespace tpu506

const Rule kTPU506 = {
    .id = "TPU506",
    .name = "spot-and-reservation",
    .mode = Mode::kWarn,
    .check = tpu506::Check,
    .audience = kNodeSelectors,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
