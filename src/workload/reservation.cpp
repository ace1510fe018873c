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

Reservation ReadReservation(std::string_view path) {
  const std::string_view name = PartOf(path, "reservations/");
  return {.name = name.empty() ? path.substr(0, path.find('/')) : name,
          .project = PartOf(path, "projects/"),
          .block = PartOf(path, "/reservationBlocks/"),
          .sub_block = PartOf(path, "/reservationSubBlocks/")};
}

std::vector<std::pair<std::string_view, std::string_view>> ReservationLabels(
    std::string_view path) {
  const Reservation reservation = ReadReservation(path);
  std::vector<std::pair<std::string_view, std::string_view>> labels = {
      {kGkeReservation, reservation.name},
      {kGkeReservationProject, reservation.project},
      {kGkeReservationBlocks, reservation.block},
      {kGkeReservationSubBlocks, reservation.sub_block}};
  std::erase_if(labels, [](const auto& label) {
    return label.first != kGkeReservation && label.second.empty();
  });
  return labels;
}

}  // namespace tpu_admission::workload
