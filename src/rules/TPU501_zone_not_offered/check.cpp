#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu501 {

using workload::NodeLabel;

bool IsDoubtful(const tpu::Zone& zone) {
  return zone.confidence == tpu::Confidence::kLow || zone.single_tenant;
}

bool HasDoubtful(const tpu::Generation& generation) {
  return std::any_of(generation.zones.list.begin(), generation.zones.list.end(), IsDoubtful);
}

// "us-central1-b, us-east1-d or us-east4-a?": as in `catalog`, what no public list has with a mark.
std::string ZoneNames(const tpu::Generation& generation) {
  std::vector<std::string> names;
  for (const tpu::Zone& zone : generation.zones.list) {
    names.push_back(zone.name + (IsDoubtful(zone) ? "?" : ""));
  }
  return JoinOr(names);
}

// The place that the pod is pinned to, by zone or else by region; nothing if the generation is
// there, as far as we know.
std::optional<NodeLabel> PlaceWithout(const Shape& shape) {
  const workload::Selected& zone = shape.choice[NodeLabel::kZone];
  const workload::Selected& region = shape.choice[NodeLabel::kRegion];
  if (zone.fixed() && shape.generation->FindZone(zone.value) == nullptr) return NodeLabel::kZone;
  if (zone.free() && region.fixed() && !shape.generation->InRegion(region.value)) {
    return NodeLabel::kRegion;
  }
  return std::nullopt;
}

// A zone of the region whose name stands where a zone's should; nullptr if none does.
const tpu::Zone* ZoneOfRegion(const Shape& shape, NodeLabel place) {
  if (place != NodeLabel::kZone) return nullptr;
  for (const tpu::Zone& zone : shape.generation->zones.list) {
    if (RegionOf(zone.name) == shape.choice[place].value) return &zone;
  }
  return nullptr;
}

// The region of that name stands in the place of its zone, and the zone in its: zone-region speaks
// of both.
bool AreSwapped(const Shape& shape) {
  const workload::Selected& zone = shape.choice[NodeLabel::kZone];
  const workload::Selected& region = shape.choice[NodeLabel::kRegion];
  return region.fixed() && region.value != zone.value && RegionOf(region.value) == zone.value;
}

// A zone where a region should stand: no node has such a region.
Finding ZoneAsRegion(const Subject& subject, std::string_view zone) {
  Finding finding{.pointer = subject.At(NodeLabel::kRegion),
                  .summary = fmt::format("{} is a zone, not a region", Quoted(zone)),
                  .problem = fmt::format("is {}, a zone; its region is {}. No node has a zone for "
                                         "its region, so the pod stays Pending.",
                                         Quoted(zone), RegionOf(zone))};
  finding.edits = Selecting(subject, NodeLabel::kRegion, std::string(RegionOf(zone)));
  finding.change = ", or select the zone by topology.kubernetes.io/zone";
  return finding;
}

// A region where a zone should stand: no node has such a zone.
Finding RegionAsZone(const Subject& subject, const tpu::Zone& zone) {
  const std::string written(subject.shape.choice[NodeLabel::kZone].value);
  Finding finding{.pointer = subject.At(NodeLabel::kZone),
                  .summary = fmt::format("{} is a region, not a zone", Quoted(written)),
                  .problem = fmt::format(
                      "is {}, a region; {} is one of its zones. No node has a region for its "
                      "zone, so the pod stays Pending.",
                      Quoted(written), zone.name)};
  const auto label = workload::FindRequired(subject.pods.pod.spec, Key(NodeLabel::kZone));
  const workload::Edits without = label ? Without(subject, *label) : workload::Edits();
  if (!without.empty() && subject.shape.choice[NodeLabel::kRegion].free()) {
    finding.edits = Selecting(subject, NodeLabel::kRegion, written);
    finding.edits.insert(finding.edits.end(), without.begin(), without.end());
  }
  const std::string other = fmt::format("name one of its zones, such as {}", zone.name);
  finding.change = finding.edits.empty() ? other : ", or " + other;
  finding.decision = "where it is to run";
  return finding;
}

// Where the generation is in one zone alone, that one is meant.
workload::Edits OnlyPlace(const Subject& subject, NodeLabel place) {
  const auto& zones = subject.shape.generation->zones.list;
  if (zones.size() != 1) return {};
  const std::string& zone = zones.front().name;
  return Selecting(subject, place, place == NodeLabel::kZone ? zone : std::string(RegionOf(zone)));
}

void Check(const Subject& subject, Report& report) {
  const tpu::Generation* generation = subject.shape.generation;
  if (generation == nullptr || generation->zones.list.empty()) return;
  if (subject.workload.managed_elsewhere) return;
  const std::optional<NodeLabel> place = PlaceWithout(subject.shape);
  if (!place) return;
  const std::string_view region = subject.shape.choice[NodeLabel::kRegion].value;
  if (*place == NodeLabel::kRegion && generation->FindZone(region) != nullptr) {
    return report.Add(ZoneAsRegion(subject, region));
  }
  const std::string noun = *place == NodeLabel::kZone ? "zone" : "region";
  const std::string value = Quoted(subject.shape.choice[*place].value);
  if (const tpu::Zone* const zone = ZoneOfRegion(subject.shape, *place)) {
    Finding finding = RegionAsZone(subject, *zone);
    finding.told_by_another = AreSwapped(subject.shape);
    return report.Add(std::move(finding));
  }
  const bool sure = generation->zones.complete;
  report.Add(
      {.pointer = subject.At(*place),
       .summary = fmt::format("{} {}{}{}", noun, value,
                              sure ? " has no " : " is not known to have ", generation->label),
       .problem = fmt::format("is {}, but {}{}{}{}.", value,
                              sure ? "" : "the zone lists we know have ", generation->label,
                              sure ? " is only in " : " only in ", ZoneNames(*generation)) +
                  (HasDoubtful(*generation)
                       ? " Those with ? stand in few lists, or are for single tenants."
                       : ""),
       .edits = OnlyPlace(subject, *place),
       .change =
           generation->zones.list.size() == 1 ? ""
           : *place == NodeLabel::kZone
               ? fmt::format("select a zone that has {}, or leave the zone out", generation->label)
               : fmt::format("select a region that has {}, or leave it out", generation->label),
       .decision = "where it is to run",
       .milder = sure ? std::nullopt : std::optional(Mode::kWarn)});
}

}  // namespace tpu501

const Rule kTPU501 = {
    .id = "TPU501",
    .name = "zone-not-offered",
    .mode = Mode::kDeny,
    .check = tpu501::Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
