// The catalog's figures against an independent statement of them: what is written here was taken
// from other sources than the row it checks, or follows from arithmetic. A figure that changes must
// be changed in both places, by somebody who looked it up twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "unit/tpu/built_in.h"

namespace tpu_admission::tpu::catalog_figures_test {
namespace {

const MachineType& Machine(std::string_view label, std::string_view name) {
  const MachineType* const machine = Labelled(label).FindMachine(name);
  if (machine == nullptr) throw std::runtime_error("no machine " + std::string(name));
  return *machine;
}

// As the tables for users have them: label, machine, chips, vCPU, GiB.
struct Size {
  std::string_view label;
  std::string_view machine;
  std::int64_t chips;
  std::int64_t vcpu;
  std::int64_t memory_gib;
};

TEST(CatalogFiguresTest, MachineSizes) {
  const std::vector<Size> sizes = {{"tpu-v3-device", "ct3-hightpu-4t", 4, 96, 340},
                                   {"tpu-v3-slice", "ct3p-hightpu-4t", 4, 48, 340},
                                   {"tpu-v4-lite-device", "ct4l-hightpu-4t", 4, 48, 340},
                                   {"tpu-v4-podslice", "ct4p-hightpu-4t", 4, 240, 407},
                                   {"tpu-v5-lite-podslice", "ct5lp-hightpu-1t", 1, 24, 48},
                                   {"tpu-v5-lite-podslice", "ct5lp-hightpu-4t", 4, 112, 192},
                                   {"tpu-v5-lite-podslice", "ct5lp-hightpu-8t", 8, 224, 384},
                                   {"tpu-v5-lite-device", "ct5l-hightpu-1t", 1, 24, 48},
                                   {"tpu-v5-lite-device", "ct5l-hightpu-4t", 4, 112, 192},
                                   {"tpu-v5-lite-device", "ct5l-hightpu-8t", 8, 224, 384},
                                   {"tpu-v5p-slice", "ct5p-hightpu-4t", 4, 208, 448},
                                   {"tpu-v6e-slice", "ct6e-standard-1t", 1, 44, 176},
                                   {"tpu-v6e-slice", "ct6e-standard-4t", 4, 180, 720},
                                   {"tpu-v6e-slice", "ct6e-standard-8t", 8, 180, 1440},
                                   {"tpu7x", "tpu7x-standard-1t", 1, 56, 248},
                                   {"tpu7x", "tpu7x-standard-4t", 4, 224, 960},
                                   {"tpu7x", "tpu7x-ultranet-4t", 4, 224, 992},
                                   {"tpu7", "tpu7-standard-1t", 1, 56, 240},
                                   {"tpu7", "tpu7-standard-4t", 4, 224, 960}};
  std::size_t machines = 0;
  for (const Generation& generation : BuiltIn().generations()) {
    machines += generation.machines.size();
  }
  EXPECT_EQ(machines, sizes.size());
  for (const Size& size : sizes) {
    const MachineType& machine = Machine(size.label, size.machine);
    EXPECT_EQ(machine.chips, size.chips) << size.machine;
    EXPECT_EQ(machine.vcpu, size.vcpu) << size.machine;
    EXPECT_EQ(machine.memory_gib, size.memory_gib) << size.machine;
  }
}

// Pages say 960 GiB, GKE's code 992: no denial below the larger one.
TEST(CatalogFiguresTest, OnlyIronwoodHasADisputedCeiling) {
  for (const Generation& generation : BuiltIn().generations()) {
    for (const MachineType& machine : generation.machines) {
      const std::int64_t ceiling = machine.name == "tpu7x-standard-4t" ? 992 : machine.memory_gib;
      EXPECT_EQ(machine.memory_ceiling_gib, ceiling) << machine.name;
    }
  }
}

// GKE's CPU reservation, restated: 6 % of the first core, 1 % of the second, 0.5 % of the third and
// fourth, 0.25 % of all others.
TEST(CatalogFiguresTest, AllocatableCpuFollowsGkesFormula) {
  for (const Generation& generation : BuiltIn().generations()) {
    for (const MachineType& machine : generation.machines) {
      const double reserved = 60 + 10 + 2 * 5 + 2.5 * static_cast<double>(machine.vcpu - 4);
      EXPECT_NEAR(static_cast<double>(machine.allocatable.cpu_millis),
                  static_cast<double>(machine.vcpu * 1000) - reserved, 1.0)
          << machine.name;
    }
  }
}

// GKE's memory reservation, restated: 25 % of the first 4 GiB, 20 % of the next 4, 10 % of the next
// 8, 6 % of the next 112, 2 % of the rest, and 100 MiB at which pods are evicted.
double ReservedMib(std::int64_t gib) {
  const auto part = [gib](std::int64_t from, std::int64_t to) {
    return static_cast<double>(std::clamp(gib, from, to) - from) * 1024;
  };
  return 0.25 * part(0, 4) + 0.20 * part(4, 8) + 0.10 * part(8, 16) + 0.06 * part(16, 128) +
         0.02 * part(128, 1 << 20) + 100;
}

// The kernel and firmware keep about a 64th for themselves before any formula. By the second
// formula GKE reserves some 2.4 GiB, whatever the size.
TEST(CatalogFiguresTest, AllocatableMemoryFollowsGkesFormulas) {
  for (const Generation& generation : BuiltIn().generations()) {
    for (const MachineType& machine : generation.machines) {
      const auto capacity = static_cast<double>(machine.memory_gib * 1024);
      const double seen = capacity - capacity / 64;
      EXPECT_NEAR(static_cast<double>(machine.allocatable.memory_mib),
                  seen - ReservedMib(machine.memory_gib), 150)
          << machine.name;
      EXPECT_NEAR(static_cast<double>(machine.allocatable.memory_v2_mib), seen - 2400, 150)
          << machine.name;
    }
  }
}

struct Listed {
  std::string_view label;
  std::string_view machine;  // "" for all
  std::set<std::string> topologies;
};

// The lists that google/pathways-job keeps by machine type (without its 1x1 on ct6e-standard-4t,
// which has 4 chips), and for the rest the tables of the TPU pages.
TEST(CatalogFiguresTest, ListedTopologiesByMachine) {
  const std::vector<Listed> lists = {
      {"tpu-v6e-slice", "ct6e-standard-4t", {"2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16"}},
      {"tpu-v6e-slice", "ct6e-standard-8t", {"2x4"}},
      {"tpu-v6e-slice", "ct6e-standard-1t", {"1x1"}},
      {"tpu-v5-lite-podslice",
       "ct5lp-hightpu-4t",
       {"2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16"}},
      {"tpu-v5-lite-podslice", "ct5lp-hightpu-8t", {"2x4"}},
      {"tpu-v5-lite-podslice", "ct5lp-hightpu-1t", {"1x1"}},
      {"tpu-v4-podslice", "", {"2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4"}},
      {"tpu-v5p-slice", "", {"2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4"}},
      {"tpu7x", "tpu7x-standard-4t", {"2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4"}},
      {"tpu-v3-slice", "", {"4x4", "4x8", "8x8", "8x16", "16x16", "16x32", "32x32"}}};
  for (const Listed& list : lists) {
    std::set<std::string> found;
    for (const Placement& placement : Labelled(list.label).placements) {
      const bool mine = list.machine.empty() || placement.machine->name == list.machine;
      if (mine) found.insert(placement.topology.Text());
    }
    EXPECT_EQ(found, list.topologies) << list.label << ' ' << list.machine;
  }
}

// KubeRay's kubectl plugin (kubectl-plugin/pkg/util/validation.go) has hosts of 8 chips for these,
// and GKE's autoscaler has none.
TEST(CatalogFiguresTest, HostsThatSourcesDisagreeAbout) {
  const auto is_disputed = [](std::string_view label, std::int64_t chips, std::string_view text) {
    return Labelled(label).FindDisputedHost(chips, Topology::Parse(text)) != nullptr;
  };
  for (const std::string_view text : {"4x4", "4x8", "8x8", "8x16", "16x16"}) {
    EXPECT_TRUE(is_disputed("tpu-v3-slice", 8, text)) << text;
    EXPECT_FALSE(is_disputed("tpu-v3-slice", 4, text)) << text;
    EXPECT_FALSE(is_disputed("tpu-v6e-slice", 8, text)) << text;
  }
  EXPECT_FALSE(is_disputed("tpu-v3-slice", 8, "32x32"));
  EXPECT_TRUE(is_disputed("tpu-v3-device", 8, "2x4"));
  EXPECT_FALSE(is_disputed("tpu-v3-device", 8, "2x2"));
  EXPECT_NE(Labelled("tpu-v3-slice").FindDisputedHost(8, std::nullopt), nullptr);
}

// The larger shapes of the same lists.
TEST(CatalogFiguresTest, LargerShapesThatOthersList) {
  for (const std::string_view text :
       {"4x4x8", "4x8x8", "4x4x16", "8x8x8", "8x8x12", "8x8x16", "4x16x16", "8x16x16"}) {
    EXPECT_EQ(Labelled("tpu-v4-podslice").OfferOf(*Topology::Parse(text)).offer, Offer::kOffered)
        << text;
  }
  for (const std::string_view text : {"12x24x24", "16x24x24", "16x16x36"}) {
    EXPECT_EQ(Labelled("tpu7x").OfferOf(*Topology::Parse(text)).offer, Offer::kOffered) << text;
  }
}

// Pairs that public manifests use: none of them may ever be refused.
TEST(CatalogFiguresTest, PairsSeenInPublicManifests) {
  const std::vector<std::pair<std::string_view, std::vector<std::string_view>>> seen = {
      {"tpu7x", {"2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4", "4x4x8", "4x8x8"}},
      {"tpu-v6e-slice", {"1x1", "2x2", "2x4", "4x4", "16x16"}},
      {"tpu-v4-podslice", {"2x2x1", "2x2x2"}},
      {"tpu-v5-lite-podslice", {"2x4", "4x4", "4x8"}}};
  for (const auto& [label, topologies] : seen) {
    for (const std::string_view text : topologies) {
      EXPECT_EQ(Labelled(label).OfferOf(*Topology::Parse(text)).offer, Offer::kOffered)
          << label << ' ' << text;
    }
  }
}

TEST(CatalogFiguresTest, OnlyIronwoodNodesAreSplit) {
  for (const Generation& generation : BuiltIn().generations()) {
    EXPECT_EQ(generation.node_can_be_split(), generation.label == "tpu7x") << generation.label;
  }
  EXPECT_EQ(Labelled("tpu7x").container_chips, (std::vector<std::int64_t>{1, 2, 4}));
}

TEST(CatalogFiguresTest, LabelsGkeNodesCarry) {
  std::set<std::string> labels;
  for (const Generation& generation : BuiltIn().generations()) labels.insert(generation.label);
  EXPECT_EQ(labels,
            (std::set<std::string>{"tpu-v3-device", "tpu-v3-slice", "tpu-v4-lite-device",
                                   "tpu-v4-podslice", "tpu-v5-lite-podslice", "tpu-v5-lite-device",
                                   "tpu-v5p-slice", "tpu-v6e-slice", "tpu7x", "tpu7"}));
}

// Decided: only the zone list of v4 is whole, so only there may an unlisted zone be denied.
TEST(CatalogFiguresTest, OnlyTheZonesOfV4AreComplete) {
  for (const Generation& generation : BuiltIn().generations()) {
    EXPECT_EQ(generation.zones.complete, generation.id == "v4") << generation.id;
  }
  EXPECT_EQ(Labelled("tpu-v4-podslice").zones.list.size(), 1U);
  EXPECT_TRUE(Labelled("tpu-v5-lite-device").zones.list.empty()) << "no list is known";
}

TEST(CatalogFiguresTest, ZonesAndRegions) {
  const Generation& v6e = Labelled("tpu-v6e-slice");
  ASSERT_NE(v6e.FindZone("us-central1-b"), nullptr);
  EXPECT_EQ(v6e.FindZone("us-central1-b")->confidence, Confidence::kHigh);
  EXPECT_EQ(v6e.FindZone("asia-east1-c")->confidence, Confidence::kLow);
  EXPECT_TRUE(v6e.FindZone("us-east5-c")->single_tenant);
  EXPECT_EQ(v6e.FindZone("us-central1-a"), nullptr);
  EXPECT_TRUE(v6e.InRegion("us-central1"));
  EXPECT_TRUE(v6e.InRegion("europe-west4"));
  EXPECT_FALSE(v6e.InRegion("us-central2"));
  EXPECT_FALSE(v6e.InRegion("us"));
}

TEST(CatalogFiguresTest, MinimumVersions) {
  EXPECT_EQ(Labelled("tpu7x").min_gke_version.standard, "1.34.0-gke.2201000");
  EXPECT_EQ(Labelled("tpu7x").min_gke_version.autopilot, "1.34.1-gke.3084001");
  EXPECT_EQ(Labelled("tpu-v4-podslice").min_gke_version.standard, "1.26.1-gke.1500");
  EXPECT_EQ(Labelled("tpu-v5-lite-device").min_gke_version.standard, "");
}

}  // namespace
}  // namespace tpu_admission::tpu::catalog_figures_test
