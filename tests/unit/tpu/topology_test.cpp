#include "tpu_admission/tpu/topology.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tpu_admission::tpu::topology_test {
namespace {

struct Good {
  std::string_view text;
  std::vector<std::uint16_t> dimensions;
  std::int64_t chips;
};

class GoodTopologyTest : public testing::TestWithParam<Good> {};

TEST_P(GoodTopologyTest, Parses) {
  const std::optional<Topology> topology = Topology::Parse(GetParam().text);
  ASSERT_TRUE(topology);
  const auto dimensions = topology->dimensions();
  EXPECT_EQ(std::vector<std::uint16_t>(dimensions.begin(), dimensions.end()),
            GetParam().dimensions);
  EXPECT_EQ(topology->chips(), GetParam().chips);
  EXPECT_EQ(topology->Text(), GetParam().text);
  EXPECT_EQ(*topology, Topology::Of(GetParam().dimensions));
}

INSTANTIATE_TEST_SUITE_P(
    All, GoodTopologyTest,
    testing::Values(Good{"1x1", {1, 1}, 1}, Good{"4x4", {4, 4}, 16}, Good{"16x16", {16, 16}, 256},
                    Good{"2x2x1", {2, 2, 1}, 4}, Good{"4x4x8", {4, 4, 8}, 128},
                    Good{"4x8x32", {4, 8, 32}, 1024}, Good{"16x24x24", {16, 24, 24}, 9216},
                    Good{"3x4x4", {3, 4, 4}, 48}, Good{"8x4x4", {8, 4, 4}, 128},
                    Good{"65535x65535x65535", {65535, 65535, 65535}, 281462092005375}));

class BadTopologyTest : public testing::TestWithParam<std::string_view> {};

TEST_P(BadTopologyTest, IsRefused) { EXPECT_FALSE(Topology::Parse(GetParam())); }

INSTANTIATE_TEST_SUITE_P(All, BadTopologyTest,
                         testing::Values("", "4", "x", "4x", "x4", "4xx4", "2x2x2x2", "4x4x4x",
                                         "4x4x4x4", "2xN", "4x4xa", "2x0", "0x4", "0x4x4", "04x4",
                                         "4x04", "-2x2", "2x-2", "+2x2", "2X4", " 2x4", "2x4 ",
                                         "2 x4", "2x 4", "1e1x2", "2.0x2", "2,2", "2x4\n",
                                         "65536x1", "10000000000x1", "99999999999999999999x1",
                                         "0x10", "4*4", std::string_view("4x4\0", 4)));

TEST(TopologyTest, Order) {
  EXPECT_TRUE(Topology::Parse("4x4x8")->NonDecreasing());
  EXPECT_TRUE(Topology::Parse("4x4")->NonDecreasing());
  EXPECT_FALSE(Topology::Parse("8x4x4")->NonDecreasing());
  EXPECT_FALSE(Topology::Parse("4x12x4")->NonDecreasing());
  EXPECT_EQ(Topology::Parse("8x12x4")->Rising().Text(), "4x8x12");
  EXPECT_EQ(Topology::Parse("8x4")->Rising().Text(), "4x8");
}

TEST(TopologyTest, Multiples) {
  EXPECT_TRUE(Topology::Parse("4x8x12")->EveryDimensionMultipleOf(4));
  EXPECT_FALSE(Topology::Parse("4x8x10")->EveryDimensionMultipleOf(4));
  EXPECT_TRUE(Topology::Parse("3x5")->EveryDimensionMultipleOf(1));
}

TEST(TopologyTest, Contains) {
  const Topology parent = *Topology::Parse("4x4");
  EXPECT_TRUE(parent.Contains(parent));
  EXPECT_TRUE(parent.Contains(*Topology::Parse("2x4")));
  EXPECT_TRUE(parent.Contains(*Topology::Parse("3x3"))) << "geometry only, not what is offered";
  EXPECT_FALSE(parent.Contains(*Topology::Parse("2x16"))) << "as many chips do not fit by that";
  EXPECT_FALSE(parent.Contains(*Topology::Parse("2x2x1"))) << "another rank";
  EXPECT_TRUE(Topology::Parse("1x10")->Contains(*Topology::Parse("1x2")));
}

}  // namespace
}  // namespace tpu_admission::tpu::topology_test
