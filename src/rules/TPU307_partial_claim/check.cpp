#include <fmt/core.h>
#include <algorithm>
#include <set>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu307 {

template <typename Visit>
void ForEachMachine(const tpu::Catalog& catalog, const Visit& visit) {
  for (const tpu::Generation& generation : catalog.generations()) {
    for (const tpu::MachineType& machine : generation.machines) visit(machine);
  }
}

bool SomeMachineHas(const tpu::Catalog& catalog, std::int64_t chips) {
  bool has = false;
  ForEachMachine(catalog, [&](const auto& machine) { has = has || machine.chips == chips; });
  return has;
}

// "1, 4 or 8"
std::string Sizes(const tpu::Catalog& catalog) {
  std::set<std::int64_t> sizes;
  ForEachMachine(catalog, [&](const auto& machine) { sizes.insert(machine.chips); });
  std::vector<std::string> words;
  for (const std::int64_t size : sizes) words.push_back(std::to_string(size));
  return JoinOr(words);
}

workload::Edits All(const Subject& subject, const workload::DeviceRequest& request) {
  const std::string at =
      subject.AtSpec(fmt::format("/devices/requests/{}{}", request.index, request.below));
  return {{at + "/allocationMode", "All"}, {at + "/count", std::nullopt}};
}

void Check(const Subject& subject, Report& report) {
  for (const workload::DeviceRequest& request : subject.pods.device_requests) {
    if (report.full()) return;
    if (request.all || SomeMachineHas(subject.catalog, request.count)) continue;
    const std::string found = Counted(request.count, "chip");
    report.Add({.pointer = subject.AtSpec(fmt::format("/devices/requests/{}", request.index)),
                .part = std::string(request.name),
                .summary = fmt::format("claims {}, but a claim takes all TPUs of its node", found),
                .problem = fmt::format(
                    "asks for {}, but the TPU machines have {}, and the driver prepares all chips "
                    "of a node or none: on a larger node it refuses, and the pod never starts.",
                    found, Sizes(subject.catalog)),
                .edits = All(subject, request)});
  }
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
