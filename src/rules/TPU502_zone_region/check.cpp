#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu502 {

using workload::NodeLabel;

bool IsZone(std::string_view name) {
  const std::string_view region = RegionOf(name);
  return !region.empty() && region != name;
}

// Where it may run: another rule speaks of a zone that the generation is not in.
bool MayRunIn(const Subject& subject, std::string_view zone) {
  const tpu::Generation* generation = subject.shape.generation;
  const bool offered = generation == nullptr || generation->zones.list.empty() ||
                       generation->FindZone(zone) != nullptr;
  return offered && (subject.cluster.region.empty() || subject.cluster.region == RegionOf(zone));
}

// Each stands where the other should: the zone is one of the region.
Finding Swapped(const Subject& subject, std::string_view region, std::string_view zone) {
  Finding finding = {.pointer = subject.At(NodeLabel::kZone),
                     .summary = fmt::format("zone {} is a region, and region {} is a zone",
                                            Quoted(region), Quoted(zone)),
                     .problem = fmt::format(
                         "is {}, a region, and {} is {}, one of its zones. No node has a region "
                         "for its zone, or a zone for its region.",
                         Quoted(region), Key(NodeLabel::kRegion), Quoted(zone)),
                     .change = "let the two change places",
                     .decision = "where it is to run"};
  if (!MayRunIn(subject, zone)) return finding;
  finding.change.clear();
  finding.edits = Selecting(subject, NodeLabel::kZone, std::string(zone));
  const workload::Edits other = Selecting(subject, NodeLabel::kRegion, std::string(region));
  finding.edits.insert(finding.edits.end(), other.begin(), other.end());
  return finding;
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& zone = subject.shape.choice[NodeLabel::kZone];
  const workload::Selected& region = subject.shape.choice[NodeLabel::kRegion];
  if (!zone.fixed() || !region.fixed()) return;
  const std::string_view zones_region = RegionOf(zone.value);
  if (zones_region.empty() || zones_region == region.value) return;
  if (!IsZone(zone.value) && RegionOf(region.value) == zone.value) {
    return report.Add(Swapped(subject, zone.value, region.value));
  }
  // The zone says more than the region.
  const bool runs = IsZone(zone.value) && MayRunIn(subject, zone.value);
  report.Add(
      {.pointer = subject.At(NodeLabel::kZone),
       .summary =
           fmt::format("zone {} is not in region {}", Quoted(zone.value), Quoted(region.value)),
       .problem = fmt::format(
           "is {}, {}{}, but the pod also selects {} {}. No node is in both.", Quoted(zone.value),
           IsZone(zone.value) ? "which is in " : "a region", IsZone(zone.value) ? zones_region : "",
           IsZone(region.value) ? "the region by a zone," : "region", Quoted(region.value)),
       .edits = runs ? Selecting(subject, NodeLabel::kRegion, std::string(zones_region))
                     : workload::Edits(),
       .change = runs ? ", or leave one of the two out"
                      : "keep the zone or the region, or make them agree",
       .decision = "where it is to run"});
}

}  // namespace tpu502

const Rule kTPU502 = {
    .id = "TPU502",
    .name = "zone-region",
    .mode = Mode::kDeny,
    .check = tpu502::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
