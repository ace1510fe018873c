// The arithmetic of topologies against counting: every shape of a grid, chip by chip.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "tpu_admission/tpu/catalog.h"
#include "unit/tpu/built_in.h"

namespace tpu_admission::tpu::brute_force_test {
namespace {

std::vector<Topology> GridOf(int rank) {
  const int most = rank == 2 ? 40 : 28;
  std::vector<Topology> shapes;
  for (int a = 1; a <= most; ++a) {
    for (int b = 1; b <= most; ++b) {
      for (int c = 1; c <= (rank == 2 ? 1 : most); ++c) {
        const std::array<std::uint16_t, 3> sides = {std::uint16_t(a), std::uint16_t(b),
                                                    std::uint16_t(c)};
        shapes.push_back(Topology::Of({sides.data(), std::size_t(rank)}));
      }
    }
  }
  return shapes;
}

std::int64_t Counted(const Topology& shape) {
  std::int64_t chips = 0;
  for (int a = 0; a < shape.dimensions()[0]; ++a) {
    for (int b = 0; b < shape.dimensions()[1]; ++b) {
      chips += shape.rank() == 2 ? 1 : shape.dimensions()[2];
    }
  }
  return chips;
}

bool IsListed(const Generation& generation, const Topology& shape) {
  for (const Placement& placement : generation.placements) {
    if (placement.topology == shape) return true;
  }
  return false;
}

bool IsDisputed(const Generation& generation, const Topology& shape) {
  for (const DisputedHost& host : generation.disputed_hosts) {
    for (const Topology& topology : host.topologies) {
      if (topology == shape) return true;
    }
  }
  return false;
}

// By the words of the rule for custom shapes, one dimension after the other.
bool FitsTheRule(const CustomTopologies& rule, const Topology& shape) {
  const std::int64_t chips = Counted(shape);
  if (chips <= rule.above_chips || chips > rule.max_chips) return false;
  int before = 0;
  for (const int side : shape.dimensions()) {
    if (side % rule.multiple_of != 0) return false;
    if (rule.order == DimensionOrder::kRequired && side < before) return false;
    before = side;
  }
  return true;
}

TEST(BruteForce, HostsHoldExactlyTheChipsOfEveryShape) {
  const Catalog& catalog = BuiltIn();
  std::size_t placed = 0;
  for (const Generation& generation : catalog.generations()) {
    for (const Topology& shape : GridOf(generation.dimensions)) {
      const PlacementList placements = generation.PlacementsOf(shape);
      for (const Placement& placement : placements) {
        ++placed;
        if (placement.hosts > 1) {
          EXPECT_EQ(placement.hosts * placement.chips_per_host(), Counted(shape))
              << generation.id << " " << shape.Text();
        } else {
          EXPECT_GE(placement.chips_per_host(), Counted(shape))
              << generation.id << " " << shape.Text();
        }
      }
      const bool by_rule = generation.custom && FitsTheRule(*generation.custom, shape);
      EXPECT_EQ(!placements.empty(), IsListed(generation, shape) || by_rule)
          << generation.id << " " << shape.Text();
      EXPECT_EQ(generation.OfferOf(shape).offer == Offer::kNotOffered,
                placements.empty() && !IsDisputed(generation, shape))
          << generation.id << " " << shape.Text();
    }
  }
  EXPECT_GT(placed, 100U);
}

TEST(BruteForce, CustomShapesOfAreAllThereAre) {
  const Catalog& catalog = BuiltIn();
  std::size_t found = 0;
  for (const Generation& generation : catalog.generations()) {
    if (!generation.custom) continue;
    const CustomTopologies& rule = *generation.custom;
    std::map<std::int64_t, std::size_t> counts;
    for (std::int64_t a = 1; a * a * a <= rule.max_chips; ++a) {
      for (std::int64_t b = a; a * b * b <= rule.max_chips; ++b) {
        for (std::int64_t c = b; a * b * c <= rule.max_chips; ++c) {
          const bool fits = a % rule.multiple_of == 0 && b % rule.multiple_of == 0 &&
                            c % rule.multiple_of == 0 && a * b * c > rule.above_chips;
          if (fits) ++counts[a * b * c];
        }
      }
    }
    for (std::int64_t chips = 1; chips <= rule.max_chips + 100; ++chips) {
      const std::vector<Topology> shapes = generation.CustomShapesOf(chips);
      const auto counted = counts.find(chips);
      EXPECT_EQ(shapes.size(), counted == counts.end() ? 0U : counted->second)
          << generation.id << " " << chips;
      for (const Topology& shape : shapes) EXPECT_EQ(shape.chips(), chips) << shape.Text();
      found += shapes.size();
    }
  }
  EXPECT_GT(found, 10U);
}

}  // namespace
}  // namespace tpu_admission::tpu::brute_force_test
