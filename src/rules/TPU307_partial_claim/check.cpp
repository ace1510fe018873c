#include <fmt/format.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu307 {

workload::Edits All(const Subject& subject, const workload::DeviceRequest& request) {
  const std::string at =
      subject.AtSpec(fmt::format("/devices/requests/{}{}", request.index, request.below));
  return {{at + "/allocationMode", "All"}, {at + "/count", std::nullopt}};
}

void CheckOne(const Subject& subject, const workload::DeviceRequest& request, Report& report) {
  const std::span<const std::int64_t> sizes = subject.catalog.host_sizes();
  if (request.all || std::binary_search(sizes.begin(), sizes.end(), request.count)) return;
  const std::string found = Counted(request.count, "chip");
  report.Add({.pointer = subject.AtSpec("/devices/requests", request.index),
              .part = std::string(request.name),
              .summary = fmt::format("claims {}, but a claim takes all TPUs of its node", found),
              .problem = fmt::format(
                  "asks for {}, but the TPU machines have {}, and the driver prepares all chips "
                  "of a node or none: on a larger node it refuses, and the pod never starts.",
                  found, JoinNumbers(sizes)),
              .edits = All(subject, request)});
}

// One of them takes all devices of the node that it may have, and so leaves none to the others.
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-v1/
void CheckBesideAll(const Subject& subject, const workload::DeviceRequest& all, Report& report) {
  if (all.has_selectors) return;
  report.Add({.pointer = subject.AtSpec("/devices/requests"),
              .summary = "one request claims all TPUs of a node, others claim more of them",
              .problem = fmt::format("has {} requests for TPUs, and {} is for all of a node. That "
                                     "leaves none for the rest, so nothing can be allocated.",
                                     subject.pods.device_requests.size(), Quoted(all.name)),
              .change = "keep one request for TPUs, with allocationMode All",
              .decision = "which of the requests is meant"});
}

// The driver counts what the claim has got, whichever of its requests that is for.
void CheckSum(const Subject& subject, Report& report) {
  constexpr std::int64_t kMost = 1'000'000;  // sums never overflow
  std::int64_t sum = 0;
  std::vector<std::string> counts;
  for (const workload::DeviceRequest& request : subject.pods.device_requests) {
    sum = std::min(kMost, sum + std::clamp(request.count, std::int64_t{0}, kMost));
    if (counts.size() < 8) counts.push_back(std::to_string(request.count));
  }
  const std::span<const std::int64_t> sizes = subject.catalog.host_sizes();
  if (std::binary_search(sizes.begin(), sizes.end(), sum)) return;
  const std::string found = Counted(sum, "chip");
  const bool told = counts.size() == subject.pods.device_requests.size();
  report.Add({.pointer = subject.AtSpec("/devices/requests"),
              .summary = fmt::format("claims {}, but a claim takes all TPUs of its node", found),
              .problem = fmt::format(
                  "ask for {}{}, but the TPU machines have {}, and the driver prepares all chips "
                  "of a node for one claim or none: on a larger node it refuses, and the pod never "
                  "starts.",
                  found, told ? fmt::format(" in all ({})", fmt::join(counts, " + ")) : "",
                  JoinNumbers(sizes)),
              .change = fmt::format("let the counts be {} in all, the chips of your nodes, or keep "
                                    "one request with allocationMode All",
                                    JoinNumbers(sizes)),
              .decision = "how many chips each request is for"});
}

void Check(const Subject& subject, Report& report) {
  const std::span<const workload::DeviceRequest> requests = subject.pods.device_requests;
  if (requests.size() == 1) return CheckOne(subject, requests.front(), report);
  const auto all =
      std::find_if(requests.begin(), requests.end(), [](const auto& r) { return r.all; });
  if (all != requests.end()) return CheckBesideAll(subject, *all, report);
  CheckSum(subject, report);
}

}  // namespace tpu307

const Rule kTPU307 = {
    .id = "TPU307",
    .name = "partial-claim",
    .mode = Mode::kWarn,
    .check = tpu307::Check,
    .audience = workload::TpuUses(workload::TpuUse::kDeviceClaim),
};

}  // namespace tpu_admission::rules
