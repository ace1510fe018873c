#include "tpu_admission/offline/plan.h"

#include <algorithm>
#include <tuple>

#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

using tpu::Generation;
using tpu::Placement;
using tpu::Topology;

bool Names(const Generation& generation, std::string_view text) {
  const auto is = [&](const std::string& name) { return name == text; };
  return is(generation.label) || is(generation.id) || is(generation.machine_family) ||
         std::any_of(generation.aliases.begin(), generation.aliases.end(), is);
}

// The generations that the wish allows.
Result<std::vector<const Generation*>> Generations(const tpu::Catalog& catalog, const Wish& wish) {
  std::vector<const Generation*> found;
  for (const Generation& generation : catalog.generations()) {
    if (wish.accelerator.empty() ? generation.documented : Names(generation, wish.accelerator)) {
      found.push_back(&generation);
    }
  }
  if (!found.empty()) return found;
  std::string message = "no TPU generation is called " + Quoted(wish.accelerator, 60);
  if (const Generation* guess = catalog.Guess(wish.accelerator)) {
    message += "; did you mean " + guess->id + " (" + guess->label + ")?";
  } else {
    std::vector<std::string> ids;
    std::vector<std::string> near;  // v6: v6e
    for (const Generation& generation : catalog.generations()) {
      ids.push_back(generation.id);
      if (generation.id.starts_with(wish.accelerator)) near.push_back(generation.id);
    }
    message += near.empty() ? "; there are " + JoinOr(ids) : "; did you mean " + JoinOr(near) + "?";
  }
  return Error{message};
}

// Every placement of one slice of the generation that might be meant.
std::vector<Placement> Candidates(const Generation& generation, const Wish& wish,
                                  const std::optional<Topology>& topology) {
  std::vector<Placement> found;
  const auto add = [&](const Topology& shape) {
    for (const Placement& placement : generation.PlacementsOf(shape)) found.push_back(placement);
  };
  if (topology) {
    add(*topology);
    return found;
  }
  found = generation.placements;
  if (wish.chips > 0) {
    for (const Topology& shape : generation.CustomShapesOf(wish.chips / wish.slices)) add(shape);
  } else if (generation.custom) {
    for (const Topology& shape : generation.custom->examples) add(shape);
  }
  return found;
}

// The custom shapes with the next fewer chips than `chips`, and those with the next more.
std::vector<Placement> NearestCustom(const Generation& generation, std::int64_t chips) {
  std::vector<Placement> found;
  if (!generation.custom) return found;
  const std::int64_t side = generation.custom->multiple_of;
  const std::int64_t step = side * side * side;
  const std::int64_t most = generation.custom->max_chips;
  const auto add = [&](std::int64_t count) {
    for (const Topology& shape : generation.CustomShapesOf(count)) {
      for (const Placement& placement : generation.PlacementsOf(shape)) found.push_back(placement);
    }
    return !found.empty();
  };
  for (std::int64_t less = std::min(chips - 1, most) / step * step; less > 0; less -= step) {
    if (add(less)) break;
  }
  std::vector<Placement> below;
  below.swap(found);
  for (std::int64_t more = chips / step * step + step; more <= most; more += step) {
    if (add(more)) break;
  }
  found.insert(found.end(), below.begin(), below.end());
  return found;
}

std::vector<const tpu::Zone*> ZonesOf(const Generation& generation, const Placement& placement) {
  std::vector<const tpu::Zone*> zones;
  for (const tpu::Zone& zone : generation.zones.list) {
    const auto& limits = generation.zones.limits;
    if (std::none_of(limits.begin(), limits.end(), [&](const tpu::ZoneLimit& limit) {
          const bool here =
              std::find(limit.in.begin(), limit.in.end(), zone.name) != limit.in.end();
          return here && limit.Forbids(placement);
        })) {
      zones.push_back(&zone);
    }
  }
  std::stable_sort(zones.begin(), zones.end(), [](const tpu::Zone* a, const tpu::Zone* b) {
    return a->confidence < b->confidence;
  });
  return zones;
}

bool Lies(std::string_view zone, std::string_view place) {
  return zone == place ||
         (zone.size() > place.size() && zone.starts_with(place) && zone[place.size()] == '-');
}

bool FitsMemory(const Way& way, const Wish& wish) {
  return wish.memory_gb == 0 ||
         way.generation->hbm_gb_per_chip * way.total_chips() >= wish.memory_gb;
}

// Whether the placement, as the slices of the wish, is what is wanted, but for its zone.
bool Fits(const Way& way, const Wish& wish) {
  const Placement& placement = way.placement;
  return (wish.chips == 0 || way.total_chips() == wish.chips) &&
         (wish.machine.empty() || placement.machine->name == wish.machine) &&
         (wish.autopilot ? placement.autopilot : placement.standard) && FitsMemory(way, wish) &&
         (placement.hosts > 1 || placement.machine->single_host);
}

auto Rank(const Way& way) {
  const auto sides = way.placement.topology.dimensions();
  return std::tuple(!way.placement.documented, way.total_chips(), way.placement.hosts,
                    *std::max_element(sides.begin(), sides.end()));
}

// "8, 16 or 32": the totals nearest to what was asked for.
std::string NearestTotals(const std::vector<Way>& all, const Wish& wish) {
  std::vector<std::int64_t> totals;
  for (const Way& way : all) totals.push_back(way.total_chips());
  std::sort(totals.begin(), totals.end());
  totals.erase(std::unique(totals.begin(), totals.end()), totals.end());
  const auto next = std::lower_bound(totals.begin(), totals.end(), wish.chips);
  std::vector<std::string> words;
  if (next != totals.begin()) words.push_back(std::to_string(*(next - 1)));
  if (next != totals.end()) words.push_back(std::to_string(*next));
  return JoinOr(words);
}

template <typename Name>
std::string List(const std::vector<Way>& ways, Name name) {
  std::vector<std::string> names;
  for (const Way& way : ways) {
    std::string text = name(way);
    if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(text);
  }
  if (names.size() > 12) {
    names.resize(12);
    names.emplace_back("others");
  }
  return JoinOr(names);
}

// "did you mean ct6e-standard-4t? " for a name that no machine has.
std::string NearestMachine(const std::vector<Way>& ways, const std::string& machine) {
  std::vector<std::string_view> names;
  for (const Way& way : ways) {
    for (const tpu::MachineType& each : way.generation->machines) {
      if (each.name == machine) return "";
    }
    names.push_back(way.placement.machine->name);
  }
  const std::string_view nearest = Nearest(machine, names, 2);
  return nearest.empty() ? "" : "did you mean " + std::string(nearest) + "? ";
}

// Which part of the wish none of `all` meets: the first whose removal would leave a way.
Error Explain(const Wish& wish, const std::vector<Way>& all) {
  const auto without = [&](auto change) {
    Wish other = wish;
    change(other);
    std::vector<Way> left;
    for (const Way& way : all) {
      if (Fits(way, other)) left.push_back(way);
    }
    return left;
  };
  const bool any = wish.accelerator.empty();
  const std::string what = any ? "no TPU" : wish.accelerator;
  if (wish.chips > 0) {
    if (const auto left = without([](Wish& w) { w.chips = 0; }); !left.empty()) {
      return Error{what + (any ? " has a slice for " : " has no slice for ") +
                   std::to_string(wish.chips) + " chips" +
                   (wish.slices > 1 ? " in " + std::to_string(wish.slices) + " slices" : "") +
                   "; nearest: " + NearestTotals(left, wish)};
    }
  }
  if (wish.autopilot && !without([](Wish& w) { w.autopilot = false; }).empty()) {
    return Error{"GKE Autopilot does not offer this shape; GKE Standard does"};
  }
  if (!wish.machine.empty()) {
    const auto left = without([](Wish& w) { w.machine.clear(); });
    if (!left.empty()) {
      return Error{"machine " + Quoted(wish.machine, 60) + " does not make this; " +
                   NearestMachine(left, wish.machine) + "there is " +
                   List(left, [](const Way& way) { return way.placement.machine->name; })};
    }
  }
  if (wish.memory_gb > 0 && !without([](Wish& w) { w.memory_gb = 0; }).empty()) {
    return Error{"nothing here has " + std::to_string(wish.memory_gb) +
                 " GB of HBM; take more chips or slices, or another generation"};
  }
  return Error{"nothing fits all of this together; leave out a part of the wish"};
}

// A topology that no generation in question offers.
Error NoSuchTopology(const Wish& wish, const std::vector<const Generation*>& generations) {
  std::string message = "topology " + Quoted(wish.topology, 40) + " is not offered";
  if (generations.size() != 1) return Error{message + " by any generation"};
  std::vector<std::string> names;
  for (const Topology& topology : generations.front()->ListedTopologies()) {
    names.push_back(topology.Text());
  }
  message += " for " + generations.front()->id + "; there is " + JoinOr(names);
  if (generations.front()->custom) message += ", and larger ones in steps of 4";
  return Error{message};
}

// Whether some generation has TPUs there. Of some no list of zones is known.
bool IsKnown(const tpu::Catalog& catalog, std::string_view place) {
  const auto& all = catalog.generations();
  return std::any_of(all.begin(), all.end(), [&](const Generation& generation) {
    const auto& zones = generation.zones.list;
    return std::any_of(zones.begin(), zones.end(),
                       [&](const tpu::Zone& zone) { return Lies(zone.name, place); });
  });
}

// The zone or region that was meant: "; did you mean us-east5?"; empty if none is near.
std::string NearestPlace(const tpu::Catalog& catalog, const std::string& place) {
  std::vector<std::string_view> names;
  for (const Generation& generation : catalog.generations()) {
    for (const tpu::Zone& zone : generation.zones.list) {
      names.push_back(zone.name);
      names.push_back(names.back().substr(0, zone.name.rfind('-')));
    }
  }
  const std::string_view nearest = Nearest(place, names, 2);
  return nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
}

}  // namespace

bool Way::needs_accelerator_count() const {
  return generation->PlacementsOf(placement.topology).size() > 1;
}

Result<std::vector<Way>> Plan(const tpu::Catalog& catalog, const Wish& wish) {
  const auto generations = Generations(catalog, wish);
  if (!generations) return generations.error();
  if (wish.slices < 1) return Error{"slices must be at least 1"};
  if (wish.chips < 0 || wish.memory_gb < 0) return Error{"amounts must be positive"};
  if (wish.chips % wish.slices != 0) {
    return Error{std::to_string(wish.chips) + " chips cannot be shared evenly by " +
                 std::to_string(wish.slices) + " slices"};
  }
  std::optional<Topology> topology;
  if (!wish.topology.empty()) {
    topology = Topology::Parse(wish.topology);
    if (!topology) {
      return Error{"topology " + Quoted(wish.topology, 40) + " is not written as 4x4 or 2x2x4"};
    }
  }
  std::vector<Way> all;
  for (const Generation* generation : *generations) {
    for (const Placement& placement : Candidates(*generation, wish, topology)) {
      all.push_back({generation, placement, wish.slices, ZonesOf(*generation, placement)});
    }
  }
  if (all.empty() && topology) return NoSuchTopology(wish, *generations);
  std::vector<Way> ways;
  for (const Way& way : all) {
    if (Fits(way, wish)) ways.push_back(way);
  }
  if (ways.empty()) {
    for (const Generation* generation : *generations) {
      if (topology || wish.chips == 0) break;
      for (const Placement& placement : NearestCustom(*generation, wish.chips / wish.slices)) {
        all.push_back({generation, placement, wish.slices, {}});
      }
    }
    return Explain(wish, all);
  }
  if (!wish.zone.empty()) {
    if (wish.accelerator.empty() && !IsKnown(catalog, wish.zone)) {
      return Error{"no source lists TPUs in " + Quoted(wish.zone, 40) +
                   NearestPlace(catalog, wish.zone)};
    }
    const std::vector<Way> anywhere = ways;
    for (Way& way : ways) {
      std::erase_if(way.zones, [&](const tpu::Zone* z) { return !Lies(z->name, wish.zone); });
    }
    std::erase_if(ways, [](const Way& way) {
      return way.zones.empty() && !way.generation->zones.list.empty();
    });
    if (ways.empty()) {
      std::vector<std::string> names;
      for (const tpu::Zone* zone : anywhere.front().zones) names.push_back(zone->name);
      return Error{"no source lists this in " + Quoted(wish.zone, 40) + "; " +
                   anywhere.front().generation->id + " is in " + JoinOr(names)};
    }
  }
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return Rank(a) < Rank(b); });
  if (ways.size() > kMostWays) ways.resize(kMostWays);
  return ways;
}

}  // namespace tpu_admission::offline
