#include <fmt/core.h>
#include <string>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/choice_fields.h"

namespace tpu_admission::rules {
namespace tpu309 {

void Check(const Subject& subject, Report& report) {
  const std::string_view profile = workload::ResourceProfileOf(subject.pods);
  const tpu::PlacementList& placements = subject.shape.placements;
  if (profile.empty() || placements.empty()) return;
  const std::int64_t asked = subject.pods.chips_per_pod;
  const std::int64_t host = placements.front().topology.chips();  // known profiles are of one host
  if (asked == host || asked <= 0) return;
  const std::string_view name = profile.substr(0, profile.find(':'));
  report.Add(
      {.pointer = subject.At(workload::NodeLabel::kTopology),
       .summary = fmt::format("{} asks for {}, a host has {}", Printable(profile, 40),
                              Counted(asked, "chip"), host),
       .problem = fmt::format("is {}: the number after the colon is multiplied with the "
                              "profile's one chip, and the host has {}, which a pod takes "
                              "together.",
                              Quoted(profile), Counted(host, "chip")),
       .edits = {{subject.At(workload::NodeLabel::kTopology), fmt::format("{}:{}", name, host)}}});
}

}  // namespace tpu309

const Rule kTPU309 = {
    .id = "TPU309",
    .name = "resource-profile",
    .mode = Mode::kWarn,
    .check = tpu309::Check,
    .audience = workload::TpuUses(workload::TpuUse::kChoice),
};

}  // namespace tpu_admission::rules
