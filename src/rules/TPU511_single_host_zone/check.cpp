#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu511 {

using tpu::ZoneLimit;

// True if the limit forbids every placement that the pods may take.
bool ForbidsAll(const ZoneLimit& limit, const tpu::PlacementList& placements) {
  return !placements.empty() &&
         std::all_of(placements.begin(), placements.end(),
                     [&](const tpu::Placement& placement) { return limit.Forbids(placement); });
}

// What comes after the zone to take, if one is known.
std::string Change(const ZoneLimit& limit) {
  std::string change = limit.instead.empty() ? "select another zone" : "";
  if (limit.min_topology)
    change += fmt::format(", or a topology of at least {}", limit.min_topology->Text());
  return change;
}

// Of several limits that speak, the one that names the zone to take.
const ZoneLimit* FindLimit(const Subject& subject, std::string_view zone) {
  const ZoneLimit* found = nullptr;
  for (const ZoneLimit& limit : subject.shape.generation->zones.limits) {
    if (std::find(limit.in.begin(), limit.in.end(), zone) == limit.in.end()) continue;
    if (!ForbidsAll(limit, subject.shape.placements)) continue;
    if (found == nullptr || !limit.instead.empty()) found = &limit;
  }
  return found;
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& zone = subject.shape.choice[workload::NodeLabel::kZone];
  if (!zone.fixed() || subject.shape.generation == nullptr) return;
  const ZoneLimit* limit = FindLimit(subject, zone.value);
  if (limit == nullptr) return;
  const tpu::Placement& placement = subject.shape.placements.front();
  const std::string where = Printable(zone.value);
  report.Add(
      {.pointer = subject.At(workload::NodeLabel::kZone),
       .summary = fmt::format("{} has no {} for topology {}", where, placement.machine->name,
                              placement.topology.Text()),
       .problem = fmt::format("is {}, where GKE's planning page has no {} for a topology of {}.",
                              where, placement.machine->name, placement.topology.Text()),
       .edits = limit->instead.empty()
                    ? workload::Edits()
                    : Selecting(subject, workload::NodeLabel::kZone, limit->instead),
       .change = Change(*limit),
       .decision = "which zone is meant"});
}

}  // namespace tpu511

const Rule kTPU511 = {
    .id = "TPU511",
    .name = "single-host-zone",
    .mode = Mode::kWarn,
    .check = tpu511::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
