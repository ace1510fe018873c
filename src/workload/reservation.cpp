#include "tpu_admission/workload/reservation.h"

#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/worker_identity.h"

namespace tpu_admission::workload {
namespace {

// https://cloud.google.com/compute/docs/naming-resources
bool IsName(std::string_view text) { return IsDnsLabel(text) && !IsDigit(text.front()); }

// What stands behind `kind` at the beginning of `path`, both taken off it: "z" of "zones/z/...".
// Empty if nothing does.
std::string_view Take(std::string_view& path, std::string_view kind) {
  std::string_view rest = path;
  if (TakeUntil(rest, '/') != kind || rest.empty()) return {};
  const std::string_view value = TakeUntil(rest, '/');
  if (!value.empty()) path = rest;
  return value;
}

}  // namespace

std::optional<Reservation> ReadReservation(std::string_view text) {
  Reservation reservation;
  if (text.ends_with('/')) return std::nullopt;
  reservation.project = Take(text, "projects");
  const std::string_view zone = reservation.project.empty() ? "" : Take(text, "zones");
  reservation.name = Take(text, "reservations");
  if (reservation.name.empty() && reservation.project.empty()) {
    reservation.name = TakeUntil(text, '/');
  }
  reservation.block = Take(text, "reservationBlocks");
  if (!reservation.block.empty()) reservation.sub_block = Take(text, "reservationSubBlocks");
  if (!text.empty() || reservation.name.empty()) return std::nullopt;
  if (!zone.empty() && !IsName(zone)) return std::nullopt;
  for (const auto& [key, value] : LabelsOf(reservation)) {
    if (!IsName(value)) return std::nullopt;
  }
  return reservation;
}

std::vector<std::pair<std::string_view, std::string_view>> LabelsOf(
    const Reservation& reservation) {
  std::vector<std::pair<std::string_view, std::string_view>> labels = {
      {kGkeReservation, reservation.name},
      {kGkeReservationProject, reservation.project},
      {kGkeReservationBlocks, reservation.block},
      {kGkeReservationSubBlocks, reservation.sub_block}};
  std::erase_if(labels, [](const auto& label) { return label.second.empty(); });
  return labels;
}

}  // namespace tpu_admission::workload
