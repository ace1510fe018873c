#include "tpu_admission/offline/plan.h"

#include <gmock/gmock.h>

namespace tpu_admission::offline::plan_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const tpu::Catalog& BuiltIn() {
  static const auto kCatalog =
      tpu::Catalog::Load(tpu::BuiltInCatalogText(), "tpu-catalog.yaml").value();
  return *kCatalog;
}

// "tpu-v6e-slice 4x4 ct6e-standard-4t x4" of each way.
std::vector<std::string> Told(const Wish& wish) {
  const std::vector<Way> ways = Plan(BuiltIn(), wish).value();
  std::vector<std::string> lines;
  for (const Way& way : ways) {
    lines.push_back(way.generation->label + " " + way.placement.topology.Text() + " " +
                    way.placement.machine->name + " x" + std::to_string(way.placement.hosts));
  }
  return lines;
}

TEST(Plan, TellsEveryWayToGetTheChips) {
  EXPECT_THAT(Told({.accelerator = "v5e", .chips = 64}),
              testing::ElementsAre("tpu-v5-lite-podslice 8x8 ct5lp-hightpu-4t x16"));
  EXPECT_THAT(Told({.accelerator = "tpu-v6e-slice", .chips = 8}),
              testing::ElementsAre("tpu-v6e-slice 2x4 ct6e-standard-8t x1",
                                   "tpu-v6e-slice 2x4 ct6e-standard-4t x2"));
}

TEST(Plan, TakesWhateverNameACatalogHasForAGeneration) {
  for (const char* name : {"Trillium", "V6E", "TPU v6e", "tpuv6e", "tpu-v6e-podslice"}) {
    EXPECT_EQ(Told({.accelerator = name, .chips = 8}), Told({.accelerator = "v6e", .chips = 8}));
  }
}

// Cloud TPU's names of slices, whose number counts TensorCores: v6e has one a chip, v4 two.
TEST(Plan, TakesTheSizeThatANameHas) {
  const auto same = [](const Wish& a, const Wish& b) { EXPECT_EQ(Told(a), Told(b)); };
  same({.accelerator = "v6e-16"}, {.accelerator = "v6e", .chips = 16});
  same({.accelerator = "v5litepod-16"}, {.accelerator = "v5e", .chips = 16});
  same({.accelerator = "v4-32"}, {.accelerator = "v4", .chips = 16});
  same({.accelerator = "v5p-32", .slices = 2}, {.accelerator = "v5p", .chips = 32, .slices = 2});
  same({.accelerator = "tpu7x-8", .chips = 4}, {.accelerator = "tpu7x", .chips = 4});
  same({.accelerator = "v6e-16", .topology = "4x4"}, {.accelerator = "v6e", .topology = "4x4"});
}

TEST(Plan, HasAlsoTheWaysThatAreNotTold) {
  const auto ways = Told({});
  EXPECT_GT(ways.size(), 32U);
  EXPECT_THAT(ways, testing::Contains("tpu-v6e-slice 16x16 ct6e-standard-4t x64"));
}

TEST(Plan, MakesTheShapesOfCustomTopologiesNearestToACubeFirst) {
  const auto ways = Plan(BuiltIn(), {.accelerator = "v5p", .chips = 512}).value();
  ASSERT_GE(ways.size(), 3U);
  EXPECT_EQ(ways[0].placement.topology.Text(), "8x8x8");
  EXPECT_EQ(ways[1].placement.topology.Text(), "4x8x16");
}

TEST(Plan, SharesTheChipsAmongSlices) {
  const auto ways = Plan(BuiltIn(), {.accelerator = "v6e", .chips = 32, .slices = 2}).value();
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].placement.topology.Text(), "4x4");
  EXPECT_EQ(ways[0].chips(), 16);
  EXPECT_EQ(ways[0].total_chips(), 32);
}

TEST(Plan, HoldsZonesAgainstTheLimitsOfTheMachine) {
  const std::vector<Way> ways = Plan(BuiltIn(), {.accelerator = "v5e", .chips = 4}).value();
  for (const Way& way : ways) {
    for (const tpu::Zone* zone : way.zones) EXPECT_NE(zone->name, "us-west4-b");
  }
}

TEST(Plan, FindsShapesByMemory) {
  const auto ways = Plan(BuiltIn(), {.accelerator = "v6e", .memory_gb = 500}).value();
  EXPECT_EQ(ways.front().placement.topology.Text(), "4x4");  // 16 chips of 32 GB
}

TEST(Plan, LeavesAShapeInDoubtToThoseWhoNameIt) {
  for (std::int64_t chips = 64; chips <= 8960; chips += 64) {
    const auto ways = Plan(BuiltIn(), {.accelerator = "v5p", .chips = chips});
    EXPECT_EQ(!ways, chips > 6144) << chips;
    if (!ways) continue;
    for (const Way& way : *ways) EXPECT_EQ(way.doubt(), "") << way.placement.topology.Text();
  }
  for (const char* named : {"16x20x28", "4x4x560"}) {
    const Way way = Plan(BuiltIn(), {.accelerator = "v5p", .topology = named}).value().front();
    EXPECT_EQ(way.doubt(), "it has 8960 chips, and the documents end at 6144");
    EXPECT_THAT(Emit("job", way, {}, {}).value(),
                StartsWith("# Sources disagree about " + std::string(named) + ": it has 8960 "));
  }
}

struct WrongWish {
  const char* name;
  Wish wish;
  const char* says;
};

class PlanRefusal : public testing::TestWithParam<WrongWish> {};

TEST_P(PlanRefusal, SaysWhatIsNearest) {
  const auto ways = Plan(BuiltIn(), GetParam().wish);
  ASSERT_FALSE(ways);
  EXPECT_THAT(ways.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, PlanRefusal,
    testing::Values(
        WrongWish{"chips", {.accelerator = "v6e", .chips = 12}, "nearest: 8 or 16"},
        WrongWish{"custom", {.accelerator = "tpu7x", .chips = 9215}, "nearest: 9152 or 9216"},
        WrongWish{"huge", {.chips = 10'000'000}, "nearest: 9216"},
        WrongWish{"custom_slices",
                  {.accelerator = "v5p", .chips = 400, .slices = 2},
                  "nearest: 384 or 512"},
        WrongWish{"disputed",
                  {.accelerator = "v5p", .chips = 8960},
                  "v5p has no slice beyond doubt for 8960 chips; nearest: 6144, or 8960 by "
                  "--slices 2; sources disagree about 16x20x28: it has 8960 chips, and the "
                  "documents end at 6144; --topology "
                  "16x20x28 takes it all the same"},
        WrongWish{"chips_of_the_machine",
                  {.accelerator = "v6e", .chips = 16, .machine = "ct6e-standard-8t"},
                  "machine \"ct6e-standard-8t\" does not make this"},
        WrongWish{"memory_of_the_chips",
                  {.accelerator = "v6e", .chips = 4, .memory_gb = 1024},
                  "nothing here has 1024 GB of HBM"},
        WrongWish{"size_of_the_name",
                  {.accelerator = "v6e-16", .chips = 8},
                  "\"v6e-16\" has 16 chips, not 8; say --accelerator v6e --chips 8"},
        WrongWish{"size_of_the_names",
                  {.accelerator = "v4-32", .chips = 16, .slices = 2},
                  "2 slices of \"v4-32\" have 32 chips, not 16; say --accelerator v4 --chips 16"},
        WrongWish{"topology_of_another_size",
                  {.accelerator = "v6e-16", .topology = "2x4"},
                  "\"v6e-16\" has 16 chips, not 8; say --accelerator v6e --chips 8"},
        WrongWish{"more_than_there_are",
                  {.accelerator = "v6e-99999999999999999999"},
                  "names no number of chips of v6e"},
        WrongWish{"half_a_chip",
                  {.accelerator = "v4-7"},
                  "\"v4-7\" names no number of chips of v4; say --accelerator v4 --chips N"},
        WrongWish{"more_slices",
                  {.accelerator = "v6e", .chips = 512},
                  "v6e has no slice for 512 chips; nearest: 256, or 512 by --slices 2"},
        WrongWish{"fewer_chips",
                  {.accelerator = "v6e", .chips = 8, .topology = "4x4"},
                  "4x4 has 16 chips, not 8; for 8 take 2x4 of v6e"},
        WrongWish{"more_chips",
                  {.accelerator = "v6e", .chips = 64, .topology = "4x4", .slices = 2},
                  "2 slices of 4x4 have 32 chips, not 64; for 64 take 4x8 of v6e or --slices 4"},
        WrongWish{"other_chips",
                  {.accelerator = "v6e", .chips = 12, .topology = "4x4"},
                  "4x4 has 16 chips, not 12; v6e has no slice for 12 chips; nearest: 8 or 16"},
        WrongWish{"order",
                  {.accelerator = "v5p", .topology = "8x4x4"},
                  "is not offered for v5p: the dimensions must be in rising order, as 4x4x8; "},
        WrongWish{"rank", {.accelerator = "v6e", .topology = "4x4x4"}, "not offered for v6e: "},
        WrongWish{"form",
                  {.accelerator = "v6e", .topology = "4X4"},
                  "is not written as 4x4 or 2x2x4; write 4x4"},
        WrongWish{"machine",
                  {.accelerator = "v6e", .topology = "4x4", .machine = "n2"},
                  "there is ct6e-standard-4t"},
        WrongWish{"slip_of_machine",
                  {.chips = 4, .machine = "ct6e-standard-4"},
                  "does not make this; did you mean ct6e-standard-4t? there is "},
        WrongWish{"generation_for_a_machine",
                  {.chips = 4, .machine = "tpu7x"},
                  "does not make this; there is tpu7x-standard-4t"},
        WrongWish{"known_machine",
                  {.accelerator = "v6e", .topology = "4x4", .machine = "ct6e-standard-1t"},
                  "does not make this; there is ct6e-standard-4t"},
        WrongWish{"half_a_name", {.accelerator = "v6", .chips = 4}, "did you mean v6e?"},
        WrongWish{"no_name", {.accelerator = "x6", .chips = 4}, "there are v3-device, "},
        WrongWish{"zone",
                  {.accelerator = "v4", .topology = "2x2x1", .zone = "us-east5-a"},
                  "v4 is in us-central2-b"},
        WrongWish{"place", {.zone = "mars"}, "no source lists TPUs in \"mars\""},
        WrongWish{"region",
                  {.zone = "us-eest5"},
                  "no source lists TPUs in \"us-eest5\"; did you mean us-east5?"},
        WrongWish{
            "zone_without_dash",
            {.accelerator = "v6e", .zone = "us-east5b"},
            "no source lists these chips in \"us-east5b\"; did you mean us-east5-b?; v6e is in "},
        WrongWish{
            "zone_of_other_generations",  // us-east1-c has no v6e
            {.accelerator = "v6e", .chips = 16, .zone = "us-east1-z"},
            "no source lists these chips in \"us-east1-z\"; did you mean us-east1-d?; v6e is in "},
        WrongWish{"slip",
                  {.zone = "us-east5-x"},
                  "no source lists TPUs in \"us-east5-x\"; did you mean us-east5-"},
        WrongWish{"nobody", {.chips = 5}, "no TPU has a slice for 5 chips"},
        WrongWish{
            "slices", {.accelerator = "v6e", .chips = 33, .slices = 2}, "cannot be shared evenly"},
        WrongWish{
            "memory", {.accelerator = "v6e", .topology = "1x1", .memory_gb = 33}, "33 GB of HBM"},
        WrongWish{"autopilot",
                  {.accelerator = "v6e",
                   .topology = "2x4",
                   .machine = "ct6e-standard-4t",
                   .autopilot = true},
                  "GKE Standard does"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Emit, RefusesWhatCannotRunThereAndNamesWhatCan) {
  const Way way = Plan(BuiltIn(), {.accelerator = "v6e", .topology = "4x4"}).value().front();
  EXPECT_THAT(Emit("pod", way, {}, {}).error().message, HasSubstr("emit job, jobset"));
  EXPECT_THAT(Emit("job", way, {.spot = true, .flex_start = true}, {}).error().message,
              HasSubstr("exclude each other"));
}

TEST(Emit, RefusesKindsThatMixThePodsOfSlices) {
  const Way way =
      Plan(BuiltIn(), {.accelerator = "v6e", .topology = "4x4", .slices = 2}).value().front();
  EXPECT_EQ(Emit("statefulset", way, {}, {}).error().message,
            "the 8 pods of a StatefulSet on 2 slices of 4 hosts would mix, as nothing in it keeps "
            "those of a slice together; emit jobset, lws or raycluster, or a StatefulSet for each "
            "slice");
  EXPECT_THAT(Emit("job", way, {}, {}).error().message, HasSubstr("8 pods of a Job on 2 slices"));
  EXPECT_THAT(Emit("pod", way, {}, {}).error().message, HasSubstr(": emit jobset, lws or ray"));
}

TEST(Emit, MakesIronwoodNodePoolsByWorkloadPolicy) {
  const Way way = Plan(BuiltIn(), {.accelerator = "tpu7x", .topology = "4x4x4"}).value().front();
  const std::string text = Emit("nodepool", way, {}, {.name = "pool"}).value();
  EXPECT_THAT(text, HasSubstr("--accelerator-topology=4x4x4"));
  EXPECT_THAT(text, HasSubstr("--placement-policy=pool"));
  EXPECT_THAT(text, testing::Not(HasSubstr("--tpu-topology")));
}

TEST(Emit, MakesAPoolOfItsOwnForEachSliceOfSeveralHosts) {
  const Way way =
      Plan(BuiltIn(), {.accelerator = "v6e", .topology = "4x4", .slices = 2}).value().front();
  const std::string text = Emit("nodepool", way, {.spot = true}, {.name = "pool"}).value();
  EXPECT_THAT(text, HasSubstr("create pool-0 "));
  EXPECT_THAT(text, HasSubstr("create pool-1 "));
  EXPECT_THAT(text, HasSubstr("--num-nodes=4"));
  EXPECT_THAT(text, HasSubstr("--spot"));
}

// "true", "n" and "123" are names as good as others, and no strings without quotes.
TEST(Emit, QuotesNamesThatYamlTakesForSomethingElse) {
  const Way way = Plan(BuiltIn(), {.accelerator = "v6e", .topology = "2x2"}).value().front();
  for (const std::string name : {"true", "n", "null", "on", "123"}) {
    const Naming naming{.name = name, .image = name};
    for (const std::string_view kind : {"pod", "computeclass", "resourceflavor"}) {
      EXPECT_THAT(Emit(kind, way, {.reservation = "on"}, naming).value(),
                  HasSubstr("\n  name: \"" + name + "\"\n"));
    }
    EXPECT_THAT(Emit("pod", way, {}, naming).value(), HasSubstr("image: \"" + name + "\"\n"));
  }
  EXPECT_THAT(Emit("resourceflavor", way, {.reservation = "on"}, {}).value(),
              HasSubstr("reservation-name: \"on\"\n"));
}

TEST(Emit, GivesAFlavorTheLabelsThatPodsOfTheWaySelect) {
  const Way way = Plan(BuiltIn(), {.accelerator = "v6e", .topology = "2x4"}).value().front();
  const std::string spot = Emit("resourceflavor", way, {.spot = true}, {}).value();
  EXPECT_THAT(spot, HasSubstr("\n    cloud.google.com/gke-spot: \"true\"\n"));
  EXPECT_THAT(spot, HasSubstr("\n    cloud.google.com/gke-accelerator-count: \"8\"\n"));
  EXPECT_THAT(Emit("resourceflavor", way, {.flex_start = true}, {}).value(),
              HasSubstr("\n    cloud.google.com/gke-flex-start: \"true\"\n"));
  EXPECT_THAT(Emit("resourceflavor", way, {.reservation = "mine"}, {}).value(),
              HasSubstr("\n    cloud.google.com/reservation-name: mine\n"));
  const Capacity shared{.reservation = "projects/p/reservations/r"};
  EXPECT_THAT(Emit("resourceflavor", way, shared, {}).value(),
              HasSubstr("\n    cloud.google.com/reservation-name: r\n"
                        "    cloud.google.com/reservation-project: p\n"));
  EXPECT_THAT(Emit("computeclass", way, shared, {}).value(),
              HasSubstr("\n      - name: r\n        project: p\n"));
  const Capacity part{.reservation = "r/reservationBlocks/b/reservationSubBlocks/s"};
  EXPECT_THAT(Emit("computeclass", way, part, {}).value(),
              HasSubstr("\n      - name: r\n"
                        "        reservationBlock:\n"
                        "          name: b\n"
                        "          reservationSubBlock:\n"
                        "            name: s\n"));
}

}  // namespace
}  // namespace tpu_admission::offline::plan_test
