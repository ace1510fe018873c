#include "tpu_admission/offline/plan.h"

#include <algorithm>
#include <tuple>

#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"

namespace tpu_admission::offline {
namespace {

using tpu::Generation;
using tpu::Placement;
using tpu::Topology;

// The generations that the wish allows.
Result<std::vector<const Generation*>> Generations(const tpu::Catalog& catalog, const Wish& wish) {
  std::vector<const Generation*> found;
  if (!wish.accelerator.empty()) {
    if (const Generation* const named = catalog.Guess(wish.accelerator)) return std::vector{named};
    return Error{"no TPU generation is called " + Quoted(wish.accelerator, 60) + "; " +
                 tpu::HintFor(catalog, wish.accelerator)};
  }
  for (const Generation& generation : catalog.generations()) {
    if (generation.documented) found.push_back(&generation);
  }
  return found;
}

// v6e-16 says also how large each slice is.
Result<Wish> WithSizeOfName(const tpu::Catalog& catalog, Wish wish) {
  const std::optional<std::int64_t> cores = tpu::CoresInName(wish.accelerator);
  const Generation* const named = cores ? catalog.Guess(wish.accelerator) : nullptr;
  if (named == nullptr) return wish;
  const std::int64_t per_chip = named->tensor_cores_per_chip;
  const std::string name = Quoted(wish.accelerator, 60);
  const std::string instead = "say --accelerator " + named->id + " --chips ";
  if (per_chip == 0 || *cores == 0 || *cores % per_chip != 0) {
    return Error{name + " names no number of chips of " + named->id + "; " + instead + "N"};
  }
  const std::int64_t chips = *cores / per_chip * wish.slices;
  const auto shape = Topology::Parse(wish.topology);
  const bool one = wish.slices == 1;
  for (const std::int64_t other : {wish.chips, shape ? shape->chips() * wish.slices : 0}) {
    if (other == 0 || other == chips) continue;
    return Error{(one ? name + " has " : Counted(wish.slices, "slice") + " of " + name + " have ") +
                 Counted(chips, "chip") + ", not " + std::to_string(other) + "; " + instead +
                 std::to_string(other)};
  }
  wish.chips = chips;
  return wish;
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
  const std::int64_t most = generation.custom->documented_max_chips;
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
         (placement.multi_host() || placement.machine->single_host);
}

auto Rank(const Way& way) {
  const auto sides = way.placement.topology.dimensions();
  return std::tuple(!way.placement.documented, way.total_chips(), way.placement.hosts,
                    *std::max_element(sides.begin(), sides.end()));
}

// Every way that might be meant; one in doubt only where its topology is named.
std::vector<Way> AllWays(const std::vector<const Generation*>& generations, const Wish& wish,
                         const std::optional<Topology>& topology) {
  std::vector<Way> all;
  for (const Generation* generation : generations) {
    for (const Placement& placement : Candidates(*generation, wish, topology)) {
      const Way way = {generation, placement, wish.slices, ZonesOf(*generation, placement)};
      if (topology || way.doubt().empty()) all.push_back(way);
    }
  }
  return all;
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

// What only some sources allow of the chips in the wish, as the end of an answer; else empty.
std::string Disputed(const Wish& wish, const std::vector<const Generation*>& generations) {
  for (const Generation* generation : generations) {
    const auto shapes = generation->CustomShapesOf(wish.chips / wish.slices);
    if (shapes.empty()) continue;
    const Topology& shape = shapes.back();  // the nearest to a cube
    const std::string reason = generation->OfferOf(shape).reason;
    if (reason.empty()) continue;
    return "; sources disagree about " + shape.Text() + ": " + reason + "; --topology " +
           shape.Text() + " takes it all the same";
  }
  return "";
}

constexpr std::int64_t kFewSlices = 64;  // more are no advice

// ", or 512 by --slices 2": how more slices make up the chips; empty if no few do.
std::string MoreSlices(const Wish& wish, const std::vector<const Generation*>& generations) {
  Wish other = wish;
  while (++other.slices <= kFewSlices) {
    if (wish.chips % other.slices != 0) continue;
    const std::vector<Way> all = AllWays(generations, other, std::nullopt);
    if (std::any_of(all.begin(), all.end(), [&](const Way& way) { return Fits(way, other); })) {
      return ", or " + std::to_string(wish.chips) + " by --slices " + std::to_string(other.slices);
    }
  }
  return "";
}

// A topology that has not as many chips as the wish, and what has.
Error OtherChips(const tpu::Catalog& catalog, const Wish& wish, const Topology& topology) {
  Wish other = wish;
  other.topology.clear();
  const auto ways = Plan(catalog, other);
  std::vector<std::string> words;
  if (ways) {
    const Way& best = ways->front();
    words.push_back(best.placement.topology.Text() + " of " + best.generation->id);
  }
  const std::int64_t slices = wish.chips / topology.chips();
  if (wish.chips % topology.chips() == 0 && slices <= kFewSlices) {
    words.push_back("--slices " + std::to_string(slices));
  }
  const std::string chips = std::to_string(wish.chips);
  return Error{(wish.slices > 1
                    ? std::to_string(wish.slices) + " slices of " + topology.Text() + " have "
                    : topology.Text() + " has ") +
               std::to_string(topology.chips() * wish.slices) + " chips, not " + chips + "; " +
               (words.empty() ? ways.error().message : "for " + chips + " take " + JoinOr(words))};
}

// Which part of the wish none of `all` meets: the first whose removal would leave a way.
Error Explain(const tpu::Catalog& catalog, const Wish& wish, const std::vector<Way>& all,
              const std::vector<const Generation*>& generations) {
  const auto without = [&](auto change) {
    Wish other = wish;
    change(other);
    std::vector<Way> left;
    for (const Way& way : all) {
      if (Fits(way, other)) left.push_back(way);
    }
    return left;
  };
  if (wish.autopilot && !without([](Wish& w) { w.autopilot = false; }).empty()) {
    return Error{"GKE Autopilot does not offer this shape; GKE Standard does"};
  }
  if (!wish.machine.empty()) {
    auto left = without([](Wish& w) { w.machine.clear(); });
    const Generation* const named = catalog.Guess(wish.machine);
    const auto is_other = [&](const Way& way) { return way.generation != named; };
    if (!std::all_of(left.begin(), left.end(), is_other)) std::erase_if(left, is_other);
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
  const auto left = without([](Wish& w) { w.chips = 0; });
  if (wish.chips > 0 && !left.empty()) {
    const std::string disputed = Disputed(wish, generations);
    const bool is_most = std::all_of(
        left.begin(), left.end(), [&](const Way& way) { return way.total_chips() < wish.chips; });
    return Error{(wish.accelerator.empty() ? "no TPU has a" : generations.front()->id + " has no") +
                 (disputed.empty() ? " slice for " : " slice beyond doubt for ") +
                 std::to_string(wish.chips) + " chips" +
                 (wish.slices > 1 ? " in " + std::to_string(wish.slices) + " slices" : "") +
                 "; nearest: " + NearestTotals(left, wish) +
                 (is_most ? MoreSlices(wish, generations) : "") + disputed};
  }
  return Error{"nothing fits all of this together; leave out a part of the wish"};
}

// A topology that no generation in question offers.
Error NoSuchTopology(const Topology& topology, const std::vector<const Generation*>& generations) {
  std::string message = "topology " + Quoted(topology.Text()) + " is not offered";
  if (generations.size() != 1) return Error{message + " by any generation"};
  std::vector<std::string> names;
  for (const Topology& listed : generations.front()->ListedTopologies()) {
    names.push_back(listed.Text());
  }
  message += " for " + generations.front()->id;
  const tpu::OfferAnswer answer = generations.front()->OfferOf(topology);
  if (!answer.lists) message += ": " + answer.reason;
  message += "; there is " + JoinOr(names);
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

// The zone or region that was meant, of those that have the chips: "; did you mean us-east5?";
// empty if none is near.
std::string NearestPlace(const std::vector<Way>& ways, const std::string& place) {
  std::vector<std::string_view> names;
  for (const Way& way : ways) {
    for (const tpu::Zone* zone : way.zones) names.push_back(zone->name);
  }
  const std::size_t zones = names.size();  // first: us-east5b is a zone
  for (std::size_t i = 0; i < zones; ++i) names.push_back(names[i].substr(0, names[i].rfind('-')));
  const std::string_view nearest = Nearest(place, names, 2);
  return nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
}

}  // namespace

bool Way::needs_accelerator_count() const {
  return generation->PlacementsOf(placement.topology).size() > 1;
}

std::string Way::doubt() const { return generation->OfferOf(placement.topology).reason; }

Result<std::vector<Way>> Plan(const tpu::Catalog& catalog, const Wish& asked) {
  TPU_ADMISSION_TRY(const Wish wish, WithSizeOfName(catalog, asked));
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
      const auto meant = tpu::Tidied(wish.topology);
      return Error{"topology " + Quoted(wish.topology, 40) + " is not written as 4x4 or 2x2x4" +
                   (meant ? "; write " + meant->Text() : "")};
    }
  }
  std::vector<Way> all = AllWays(*generations, wish, topology);
  if (all.empty() && topology) return NoSuchTopology(*topology, *generations);
  if (topology && wish.chips > 0 && topology->chips() * wish.slices != wish.chips) {
    return OtherChips(catalog, wish, *topology);
  }
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
    return Explain(catalog, wish, all, *generations);
  }
  if (!wish.zone.empty()) {
    if (wish.accelerator.empty() && !IsKnown(catalog, wish.zone)) {
      return Error{"no source lists TPUs in " + Quoted(wish.zone, 40) +
                   NearestPlace(ways, wish.zone)};
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
      return Error{"no source lists these chips in " + Quoted(wish.zone, 40) +
                   (IsKnown(catalog, wish.zone) ? "" : NearestPlace(anywhere, wish.zone)) + "; " +
                   anywhere.front().generation->id + " is in " + JoinOr(names)};
    }
  }
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return Rank(a) < Rank(b); });
  return ways;
}

}  // namespace tpu_admission::offline
