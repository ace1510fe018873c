#include "tpu_admission/rules/cluster.h"

namespace tpu_admission::rules {

std::string_view RegionOf(std::string_view location) {
  const std::size_t first = location.find('-');
  const std::size_t last = location.rfind('-');
  if (first == location.npos) return {};
  return first == last ? location : location.substr(0, last);
}

}  // namespace tpu_admission::rules
