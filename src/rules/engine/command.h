// What containers run, as far as their words show it.
#pragma once

#include <cstddef>
#include <string_view>

#include "tpu_admission/k8s/container.h"

namespace tpu_admission::rules {

// Says of the containers of one pod whose command may be looked through. A workload is judged again
// for each repair that is tried, so the commands of a pod are short enough together, or unread.
class ShortCommands {
 public:
  // Whether image, command and args fit into what the containers before it left.
  bool Take(const k8s::Container& container);

 private:
  std::size_t room_ = 16'384;  // bytes
};

// Whether a word of the container's command or args holds `text`.
bool CommandHolds(const k8s::Container& container, std::string_view text);

}  // namespace tpu_admission::rules
