// Reservations of Compute Engine, by their path or name, as labels of nodes.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace tpu_admission::workload {

// The labels that select it: key and value, the name first. Of "r",
// "projects/p/reservations/r/reservationBlocks/b/reservationSubBlocks/s", a part of this, or
// "r/reservationBlocks/b". Views of `reservation`.
// https://cloud.google.com/kubernetes-engine/docs/how-to/consuming-reservations
std::vector<std::pair<std::string_view, std::string_view>> ReservationLabels(
    std::string_view reservation);

}  // namespace tpu_admission::workload
