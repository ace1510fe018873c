// Reservations of Compute Engine, by their path or name, and as labels of nodes.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tpu_admission::workload {

// Parts that are not said are empty. Views of what was read.
struct Reservation {
  std::string_view name;
  std::string_view project = {};
  std::string_view block = {};
  std::string_view sub_block = {};
};
// "r", or "projects/p/reservations/r" with or without a zone, and behind either maybe
// "/reservationBlocks/b", or "/reservationBlocks/b/reservationSubBlocks/s". Nothing of other texts,
// or if a part is no name of Compute Engine: what is read can be a value of a label, and a word of
// a shell as it is.
std::optional<Reservation> ReadReservation(std::string_view text);

// The labels of nodes that select it: key and value, the name first.
// https://cloud.google.com/kubernetes-engine/docs/how-to/consuming-reservations
std::vector<std::pair<std::string_view, std::string_view>> LabelsOf(const Reservation& reservation);

}  // namespace tpu_admission::workload
