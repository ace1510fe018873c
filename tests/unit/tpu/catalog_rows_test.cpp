// One case for every row of config/tpu-catalog.yaml: a new row is tested by standing there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "unit/tpu/built_in.h"

namespace tpu_admission::tpu::catalog_rows_test {
namespace {

// A row's name as gtest wants it: letters, digits and underscores.
std::string TestName(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

bool IsSource(const std::string& key) {
  const auto sources = BuiltIn().sources();
  return std::any_of(sources.begin(), sources.end(),
                     [&](const Catalog::Source& source) { return source.key == key; });
}

template <typename Keys>
void ExpectSources(const Keys& keys) {
  EXPECT_FALSE(keys.empty());
  for (const std::string& key : keys) EXPECT_TRUE(IsSource(key)) << key;
}

struct PlacementRow {
  const Generation* generation;
  const Placement* placement;
};

std::vector<PlacementRow> Placements() {
  std::vector<PlacementRow> rows;
  for (const Generation& generation : BuiltIn().generations()) {
    for (const Placement& placement : generation.placements) {
      rows.push_back({&generation, &placement});
    }
  }
  return rows;
}

class PlacementRowTest : public testing::TestWithParam<PlacementRow> {};

TEST_P(PlacementRowTest, AddsUp) {
  const auto& [generation, placement] = GetParam();
  EXPECT_EQ(placement->topology.rank(), generation->dimensions);
  EXPECT_EQ(placement->hosts * placement->machine->chips, placement->topology.chips());
  EXPECT_EQ(generation->FindMachine(placement->machine->name), placement->machine);
  EXPECT_TRUE(placement->standard || placement->autopilot);
  EXPECT_TRUE(placement->machine->single_host || !placement->single_host());
  ExpectSources(placement->sources);
}

TEST_P(PlacementRowTest, IsFoundByItsTopology) {
  const auto& [generation, placement] = GetParam();
  EXPECT_EQ(generation->OfferOf(placement->topology).offer, Offer::kOffered);
  const PlacementList found = generation->PlacementsOf(placement->topology);
  EXPECT_EQ(std::count_if(found.begin(), found.end(),
                          [&](const Placement& row) { return row.machine == placement->machine; }),
            1);
}

INSTANTIATE_TEST_SUITE_P(Catalog, PlacementRowTest, testing::ValuesIn(Placements()),
                         [](const auto& row) {
                           return TestName(row.param.generation->id + "_" +
                                           row.param.placement->topology.Text() + "_" +
                                           row.param.placement->machine->name);
                         });

struct MachineRow {
  const Generation* generation;
  const MachineType* machine;
};

std::vector<MachineRow> Machines() {
  std::vector<MachineRow> rows;
  for (const Generation& generation : BuiltIn().generations()) {
    for (const MachineType& machine : generation.machines) rows.push_back({&generation, &machine});
  }
  return rows;
}

class MachineRowTest : public testing::TestWithParam<MachineRow> {};

TEST_P(MachineRowTest, KeepsAPartForItself) {
  const MachineType& machine = *GetParam().machine;
  const Allocatable& allocatable = machine.allocatable;
  EXPECT_LT(allocatable.cpu_millis, machine.vcpu * 1000);
  EXPECT_GT(allocatable.cpu_millis, machine.vcpu * 990);
  EXPECT_LT(allocatable.memory_mib, machine.memory_gib * 1024);
  EXPECT_GT(allocatable.memory_mib, machine.memory_gib * 1024 * 85 / 100);
  EXPECT_GE(allocatable.memory_v2_mib, allocatable.memory_mib);
  EXPECT_GE(machine.memory_ceiling_gib, machine.memory_gib);
  ExpectSources(machine.sources);
}

// 1t, 4t and 8t at the end of the name are the chips of the machine.
TEST_P(MachineRowTest, ChipsAreThoseOfTheName) {
  const MachineType& machine = *GetParam().machine;
  EXPECT_TRUE(machine.name.ends_with("-" + std::to_string(machine.chips) + "t")) << machine.name;
  EXPECT_EQ(BuiltIn().Guess(machine.name), GetParam().generation);
}

INSTANTIATE_TEST_SUITE_P(Catalog, MachineRowTest, testing::ValuesIn(Machines()),
                         [](const auto& row) { return TestName(row.param.machine->name); });

std::vector<const Generation*> Generations() {
  std::vector<const Generation*> rows;
  for (const Generation& generation : BuiltIn().generations()) rows.push_back(&generation);
  return rows;
}

class GenerationRowTest : public testing::TestWithParam<const Generation*> {};

TEST_P(GenerationRowTest, IsFoundByEveryName) {
  const Generation& generation = *GetParam();
  EXPECT_EQ(BuiltIn().FindByLabel(generation.label), &generation);
  EXPECT_FALSE(BuiltIn().LooksLikeNewGeneration(generation.label));
  EXPECT_EQ(BuiltIn().Guess(generation.id), &generation);
  EXPECT_EQ(BuiltIn().Guess(generation.machine_family), &generation);
  for (const std::string& alias : generation.aliases) {
    EXPECT_EQ(BuiltIn().Guess(alias), &generation) << alias;
  }
}

TEST_P(GenerationRowTest, EveryBlockHasItsSources) {
  const Generation& generation = *GetParam();
  ExpectSources(generation.sources);
  for (const Zone& zone : generation.zones.list) ExpectSources(zone.sources);
  if (generation.custom) ExpectSources(generation.custom->sources);
  if (generation.node_can_be_split()) ExpectSources(generation.container_chips_sources);
  for (const DisputedHost& host : generation.disputed_hosts) ExpectSources(host.sources);
  if (generation.hbm_gb_per_chip > 0) ExpectSources(generation.hbm_sources);
  if (generation.tensor_cores_per_chip > 0) ExpectSources(generation.tensor_core_sources);
  if (!generation.min_gke_version.standard.empty())
    ExpectSources(generation.min_gke_version.sources);
  if (!generation.disks.boot.empty()) ExpectSources(generation.disks.sources);
  if (generation.wraparound) ExpectSources(generation.wraparound->sources);
  if (generation.dynamic_slicing) ExpectSources(generation.dynamic_slicing->sources);
}

TEST_P(GenerationRowTest, ExamplesOfCustomShapesFollowTheRule) {
  if (!GetParam()->custom) return;
  EXPECT_FALSE(GetParam()->custom->examples.empty());
  for (const Topology& example : GetParam()->custom->examples) {
    const PlacementList placements = GetParam()->PlacementsOf(example);
    ASSERT_EQ(placements.size(), 1U) << example.Text();
    EXPECT_EQ(placements.front().hosts * placements.front().chips_per_host(), example.chips());
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, GenerationRowTest, testing::ValuesIn(Generations()),
                         [](const auto& row) { return TestName(row.param->id); });

TEST(BuiltInCatalogTest, IsTheFile) {
  std::ifstream file(TPU_ADMISSION_SOURCE_DIR "/config/tpu-catalog.yaml", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(BuiltInCatalogText(), text.str());
}

void Use(std::set<std::string>& used, std::span<const std::string> sources) {
  used.insert(sources.begin(), sources.end());
}

void UseAll(std::set<std::string>& used, const Generation& generation) {
  Use(used, generation.sources);
  for (const MachineType& machine : generation.machines) Use(used, machine.sources);
  for (const Placement& placement : generation.placements) Use(used, placement.sources);
  for (const Zone& zone : generation.zones.list) Use(used, zone.sources);
  for (const ZoneLimit& limit : generation.zones.limits) Use(used, limit.sources);
  for (const NodePoolRule& rule : generation.node_pool_rules) Use(used, rule.sources);
  for (const DisputedHost& host : generation.disputed_hosts) Use(used, host.sources);
  Use(used, generation.container_chips_sources);
  Use(used, generation.hbm_sources);
  Use(used, generation.tensor_core_sources);
  Use(used, generation.min_gke_version.sources);
  Use(used, generation.disks.sources);
  Use(used, generation.consumption.sources);
  if (generation.custom) Use(used, generation.custom->sources);
  if (generation.wraparound) Use(used, generation.wraparound->sources);
  if (generation.dynamic_slicing) Use(used, generation.dynamic_slicing->sources);
}

TEST(BuiltInCatalogTest, EverySourceIsUsed) {
  std::set<std::string> used;
  Use(used, BuiltIn().node_limits().sources);
  for (const Catalog::WrongLabel& row : BuiltIn().wrong_labels()) Use(used, row.sources);
  for (const Advice& row : BuiltIn().advice()) Use(used, row.sources);
  for (const StorageClass& row : BuiltIn().storage_classes()) Use(used, row.sources);
  for (const Generation& generation : BuiltIn().generations()) UseAll(used, generation);
  for (const Catalog::Source& source : BuiltIn().sources()) {
    EXPECT_TRUE(used.contains(source.key)) << source.key;
  }
}

TEST(BuiltInCatalogTest, WrongLabelsAreGuessed) {
  for (const Catalog::WrongLabel& row : BuiltIn().wrong_labels()) {
    EXPECT_EQ(BuiltIn().Guess(row.label), BuiltIn().FindByLabel(row.meant)) << row.label;
    EXPECT_EQ(BuiltIn().FindByLabel(row.label), nullptr) << row.label;
    EXPECT_FALSE(BuiltIn().LooksLikeNewGeneration(row.label)) << row.label;
  }
}

TEST(BuiltInCatalogTest, SaysWhatItIs) {
  EXPECT_EQ(BuiltIn().version(), "2026-11-20");
  EXPECT_EQ(BuiltIn().checksum().size(), 64U);
}

TEST(BuiltInCatalogTest, HasTheFactsOfThePlanningPageThatNoPodShows) {
  const NodeLimits& limits = BuiltIn().node_limits();
  EXPECT_EQ(limits.max_pods, 256);
  EXPECT_EQ(limits.boot_disk_gib, 100);
  EXPECT_EQ(limits.multi_host_scale_up_hours, 10);
  EXPECT_EQ(limits.unsupported_images, std::vector<std::string>{"ubuntu"});
  EXPECT_EQ(limits.graceful_termination_version, "1.29.1-gke.1425000");
  EXPECT_EQ(limits.spot_notice_seconds, 30);
  EXPECT_EQ(BuiltIn()
                .FindByMachine("ct6e-standard-8t")
                ->FindMachine("ct6e-standard-8t")
                ->threads_per_core,
            1);
  EXPECT_EQ(BuiltIn().FindByLabel("tpu-v5p-slice")->min_gke_version.autoscaling,
            "1.29.2-gke.1035000");
  std::string advice;
  for (const Advice& row : BuiltIn().advice()) advice += row.text + '\n';
  for (const char* word : {"all hosts of the slice at once", "10 hours", "ct6e-standard-8t",
                           "\"specific\"", "1.29.1-gke.1425000", "1.29.2-gke.1035000", "priority",
                           "extended-duration", "Collection scheduling"}) {
    EXPECT_NE(advice.find(word), std::string::npos) << word;
  }
}

TEST(BuiltInCatalogTest, KnowsTheDisksOfStorageClasses) {
  EXPECT_EQ(BuiltIn().FindStorageClass("standard-rwo")->disk, "pd-balanced");
  EXPECT_EQ(BuiltIn().FindStorageClass("premium-rwo")->disk, "pd-ssd");
  EXPECT_EQ(BuiltIn().FindStorageClass("standard")->disk, "pd-standard");
  EXPECT_EQ(BuiltIn().FindStorageClass("ours"), nullptr);
}

}  // namespace
}  // namespace tpu_admission::tpu::catalog_rows_test
