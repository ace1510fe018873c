#include "rules/engine/command.h"

namespace tpu_admission::rules {
namespace {

// Takes the words off `room`; false if there is not so much.
bool Fit(k8s::JsonView words, std::size_t& room) {
  if (words.size() > room) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t bytes = words.Element(i).StringOr("").size() + 1;
    if (bytes > room) return false;
    room -= bytes;
  }
  return true;
}

bool Holds(k8s::JsonView words, std::string_view text) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.Element(i).StringOr("").find(text) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool ShortCommands::Take(const k8s::Container& container) {
  const std::size_t image = container.json["image"].StringOr("").size();
  if (image > room_) return false;
  room_ -= image;
  return Fit(container.json["command"], room_) && Fit(container.json["args"], room_);
}

bool CommandHolds(const k8s::Container& container, std::string_view text) {
  return Holds(container.json["command"], text) || Holds(container.json["args"], text);
}

}  // namespace tpu_admission::rules
