#include "tpu_admission/net/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace tpu_admission::net {
namespace {

constexpr std::size_t kForTheRest = 128;  // 64 of them for the metrics port
constexpr std::size_t kFewest = 16;

}  // namespace

std::size_t FitToDescriptors(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  const std::size_t left = std::max(limit.rlim_cur, rlim_t{kForTheRest}) - kForTheRest;
  return std::min(wanted, std::max(kFewest, left));
}

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace tpu_admission::net
