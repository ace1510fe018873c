// Reservations of Compute Engine, by their path or name, and as labels of nodes.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace tpu_admission::workload {

// What is not said is empty.
struct Reservation {
  std::string_view name;
  std::string_view project = {};
  std::string_view block = {};
  std::string_view sub_block = {};
};
// Of "r", "projects/p/reservations/r/reservationBlocks/b/reservationSubBlocks/s", a part of this,
// or "r/reservationBlocks/b". Views of `path`.
Reservation ReadReservation(std::string_view path);

// The labels that select it: key and value, the name first. Views of `path`.
// https://cloud.google.com/kubernetes-engine/docs/how-to/consuming-reservations
std::vector<std::pair<std::string_view, std::string_view>> ReservationLabels(std::string_view path);

}  // namespace tpu_admission::workload
