#include "tpu_admission/tpu/generation.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tpu_admission::tpu {
namespace {

template <typename Row>
const Row* FindByName(const std::vector<Row>& rows, std::string_view name) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [name](const Row& r) { return r.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

// What the rule for custom shapes makes of a shape.
enum class Verdict {
  kOffered,
  kOrderDisputed,
  kOrderUnknown,
  kAboveDocumented,
  kTooSmall,
  kNotAMultiple,
  kOrderWrong,
  kTooLarge,
};

Verdict Match(const CustomTopologies& rule, const Topology& topology) {
  const std::int64_t chips = topology.chips();
  if (chips <= rule.above_chips) return Verdict::kTooSmall;
  if (!topology.EveryDimensionMultipleOf(rule.multiple_of)) return Verdict::kNotAMultiple;
  if (chips > rule.max_chips) return Verdict::kTooLarge;
  const bool in_order = topology.NonDecreasing();
  if (!in_order && rule.order == DimensionOrder::kRequired) return Verdict::kOrderWrong;
  if (!in_order && rule.order == DimensionOrder::kDisputed) return Verdict::kOrderDisputed;
  if (!in_order) return Verdict::kOrderUnknown;
  return chips > rule.documented_max_chips ? Verdict::kAboveDocumented : Verdict::kOffered;
}

bool IsToBeHad(Verdict verdict) { return verdict < Verdict::kTooSmall; }

std::string Listed(const Generation& generation) {
  std::string text;
  for (const Topology& topology : generation.ListedTopologies()) {
    if (!text.empty()) text += ", ";
    text += topology.Text();
  }
  return text;
}

std::string NotListed(const Generation& generation) {
  std::string text = generation.label + " comes as " + Listed(generation);
  if (!generation.custom) return text;
  return text + " or, above " + std::to_string(generation.custom->above_chips) +
         " chips, in multiples of " + std::to_string(generation.custom->multiple_of);
}

// The reason for a person; empty for kOffered.
std::string Reason(const Generation& generation, const Topology& topology, Verdict verdict) {
  const CustomTopologies& rule = *generation.custom;
  const std::string chips = std::to_string(topology.chips()) + " chips";
  switch (verdict) {
    case Verdict::kOffered:
      return "";
    case Verdict::kOrderDisputed:
      return "some sources want the dimensions in rising order, as " + topology.Rising().Text();
    case Verdict::kOrderUnknown:
      return "no source has dimensions that are not in rising order, as " +
             topology.Rising().Text();
    case Verdict::kAboveDocumented:
      return "it has " + chips + ", and the documents end at " +
             std::to_string(rule.documented_max_chips);
    case Verdict::kOrderWrong:
      return "the dimensions must be in rising order, as " + topology.Rising().Text();
    case Verdict::kTooLarge:
      return "it has " + chips + ", and the largest " + generation.label + " slice has " +
             std::to_string(rule.max_chips);
    case Verdict::kNotAMultiple:
      return "above " + std::to_string(rule.above_chips) +
             " chips every dimension must be a multiple of " + std::to_string(rule.multiple_of);
    case Verdict::kTooSmall:
      break;
  }
  return NotListed(generation);
}

}  // namespace

const MachineType* Generation::FindMachine(std::string_view machine_name) const {
  return FindByName(machines, machine_name);
}

const Zone* Generation::FindZone(std::string_view zone) const {
  return FindByName(zones.list, zone);
}

bool DisputedHost::Makes(const Topology& topology) const {
  return std::find(topologies.begin(), topologies.end(), topology) != topologies.end();
}

const DisputedHost* Generation::FindDisputedHost(std::int64_t chips,
                                                 const std::optional<Topology>& topology) const {
  for (const DisputedHost& host : disputed_hosts) {
    if (host.chips == chips && (!topology || host.Makes(*topology))) return &host;
  }
  return nullptr;
}

bool Generation::InRegion(std::string_view region) const {
  return std::any_of(zones.list.begin(), zones.list.end(), [region](const Zone& zone) {
    return std::string_view(zone.name).substr(0, zone.name.rfind('-')) == region;
  });
}

bool Generation::GivesChips(std::int64_t chips, std::int64_t host) const {
  const bool is_part =
      std::find(container_chips.begin(), container_chips.end(), chips) != container_chips.end();
  return chips == host || (is_part && host % chips == 0);
}

std::vector<std::int64_t> Generation::ChipsOn(std::int64_t host) const {
  std::vector<std::int64_t> chips;
  std::copy_if(container_chips.rbegin(), container_chips.rend(), std::back_inserter(chips),
               [&](std::int64_t part) { return GivesChips(part, host); });
  return chips.empty() ? std::vector{host} : chips;
}

PlacementList Generation::PlacementsOf(const Topology& topology) const {
  PlacementList found;
  for (const Placement& placement : placements) {
    if (placement.topology == topology) found.push_back(placement);
  }
  const bool by_rule = found.empty() && custom && topology.rank() == dimensions &&
                       IsToBeHad(Match(*custom, topology));
  if (by_rule) {
    found.push_back({.topology = topology,
                     .machine = custom->machine,
                     .hosts = topology.chips() / custom->machine->chips,
                     .standard = true,
                     .autopilot = documented,
                     .documented = documented,
                     .note = custom->note,
                     .sources = custom->sources});
  }
  return found;
}

bool Generation::Has(std::string_view topology) const {
  const std::optional<Topology> parsed = Topology::Parse(topology);
  return parsed && Has(*parsed);
}

OfferAnswer Generation::OfferOf(const Topology& topology) const {
  if (topology.rank() != dimensions) {
    return {Offer::kNotOffered,
            "topologies of " + label + " have " + std::to_string(dimensions) + " dimensions"};
  }
  const bool listed =
      std::any_of(placements.begin(), placements.end(),
                  [&](const Placement& placement) { return placement.topology == topology; });
  if (listed) return {};
  for (const DisputedHost& host : disputed_hosts) {
    if (host.Makes(topology)) return {Offer::kDisputed, host.dispute};
  }
  if (!custom) return {Offer::kNotOffered, NotListed(*this), true};
  const Verdict verdict = Match(*custom, topology);
  if (verdict == Verdict::kOffered) return {};
  return {IsToBeHad(verdict) ? Offer::kDisputed : Offer::kNotOffered,
          Reason(*this, topology, verdict), verdict == Verdict::kTooSmall};
}

std::vector<Topology> Generation::ListedTopologies() const {
  std::vector<Topology> listed;
  for (const Placement& placement : placements) {
    if (std::find(listed.begin(), listed.end(), placement.topology) == listed.end()) {
      listed.push_back(placement.topology);
    }
  }
  return listed;
}

bool ZoneLimit::Forbids(const Placement& placement) const {
  if (!machine.empty() && placement.machine->name != machine) return false;
  if (!single_host && placement.single_host()) return true;
  return min_topology && placement.topology.chips() < min_topology->chips();
}

std::vector<Topology> Generation::CustomShapesOf(std::int64_t chips) const {
  std::vector<Topology> shapes;
  if (!custom || chips <= custom->above_chips || chips > custom->max_chips) return shapes;
  const std::int64_t step = custom->multiple_of;
  for (std::int64_t a = step; a * a * a <= chips; a += step) {
    if (chips % a != 0) continue;
    for (std::int64_t b = a; a * b * b <= chips; b += step) {
      const std::int64_t c = chips / a / b;
      if (a * b * c != chips || c % step != 0 || c > 65535) continue;
      const std::array<std::uint16_t, 3> sides = {std::uint16_t(a), std::uint16_t(b),
                                                  std::uint16_t(c)};
      shapes.push_back(Topology::Of(sides));
    }
  }
  return shapes;
}

}  // namespace tpu_admission::tpu
