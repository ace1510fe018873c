#include "tpu_admission/workload/reservation.h"

#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::workload {
namespace {

// Of "projects/p/reservations/r" what stands behind `kind`.
std::string_view PartOf(std::string_view path, std::string_view kind) {
  const std::size_t begin = path.find(kind);
  if (begin == path.npos) return {};
  const std::string_view rest = path.substr(begin + kind.size());
  return rest.substr(0, rest.find('/'));
}

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> ReservationLabels(
    std::string_view reservation) {
  std::string_view name = PartOf(reservation, "reservations/");
  if (name.empty()) name = reservation.substr(0, reservation.find('/'));
  std::vector<std::pair<std::string_view, std::string_view>> labels = {{kGkeReservation, name}};
  const std::pair<std::string_view, std::string_view> others[] = {
      {kGkeReservationProject, "projects/"},
      {kGkeReservationBlocks, "/reservationBlocks/"},
      {kGkeReservationSubBlocks, "/reservationSubBlocks/"}};
  for (const auto& [key, kind] : others) {
    const std::string_view value = PartOf(reservation, kind);
    if (!value.empty()) labels.emplace_back(key, value);
  }
  return labels;
}

}  // namespace tpu_admission::workload
