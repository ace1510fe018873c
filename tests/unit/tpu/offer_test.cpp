// What the catalog says about a shape: the cases of other validators for the same hardware, and
// those where we decide otherwise.
#include <gtest/gtest.h>

#include <string>

#include "unit/tpu/built_in.h"

namespace tpu_admission::tpu::offer_test {
namespace {

struct Case {
  std::string_view label;
  std::string_view topology;
  Offer offer;
  std::string_view words;  // part of the reason
};

std::ostream& operator<<(std::ostream& out, const Case& row) {
  return out << row.label << ' ' << row.topology;
}

class OfferTest : public testing::TestWithParam<Case> {};

TEST_P(OfferTest, IsAnswered) {
  const auto& [label, topology, offer, words] = GetParam();
  const OfferAnswer answer = Labelled(label).OfferOf(*Topology::Parse(topology));
  EXPECT_EQ(answer.offer, offer) << answer.reason;
  EXPECT_NE(answer.reason.find(words), std::string::npos) << answer.reason;
  EXPECT_EQ(answer.reason.empty(), offer == Offer::kOffered) << answer.reason;
}

// Whatever is to be had, surely or perhaps, has hosts, or such as are disputed; whatever is not has
// none.
TEST_P(OfferTest, AgreesWithThePlacements) {
  const Topology topology = *Topology::Parse(GetParam().topology);
  for (const DisputedHost& host : Labelled(GetParam().label).disputed_hosts) {
    if (Labelled(GetParam().label).FindDisputedHost(host.chips, topology) != nullptr) return;
  }
  const PlacementList placements =
      Labelled(GetParam().label).PlacementsOf(*Topology::Parse(GetParam().topology));
  EXPECT_EQ(placements.empty(), GetParam().offer == Offer::kNotOffered);
}

constexpr Offer kYes = Offer::kOffered;
constexpr Offer kMaybe = Offer::kDisputed;
constexpr Offer kNo = Offer::kNotOffered;

INSTANTIATE_TEST_SUITE_P(
    Flat, OfferTest,
    testing::Values(
        Case{"tpu-v3-device", "2x2", kYes, ""}, Case{"tpu-v3-device", "4x4", kNo, "comes as 2x2"},
        Case{"tpu-v3-device", "2x4", kMaybe, "KubeRay knows it"},
        Case{"tpu-v3-slice", "32x32", kYes, ""}, Case{"tpu-v3-slice", "2x2", kNo, "comes as 4x4"},
        Case{"tpu-v5-lite-podslice", "1x1", kYes, ""},
        Case{"tpu-v5-lite-podslice", "2x4", kYes, ""}, Case{"tpu-v5-lite-podslice", "3x3", kNo, ""},
        Case{"tpu-v5-lite-podslice", "4x2", kNo, ""},
        Case{"tpu-v5-lite-podslice", "16x32", kNo, ""}, Case{"tpu-v5-lite-device", "2x4", kYes, ""},
        Case{"tpu-v5-lite-device", "4x4", kNo, "1x1, 2x2, 2x4"},
        Case{"tpu-v6e-slice", "1x1", kYes, ""}, Case{"tpu-v6e-slice", "2x2", kYes, ""},
        Case{"tpu-v6e-slice", "16x16", kYes, ""},
        Case{"tpu-v6e-slice", "3x3", kNo, "1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16"},
        Case{"tpu-v6e-slice", "1x1x1", kNo, "2 dimensions"}));

INSTANTIATE_TEST_SUITE_P(
    V4, OfferTest,
    testing::Values(Case{"tpu-v4-podslice", "2x2", kNo, "3 dimensions"},
                    Case{"tpu-v4-podslice", "2x2x1", kYes, ""},
                    Case{"tpu-v4-podslice", "2x2x3", kNo, "above 64 chips, in multiples of 4"},
                    Case{"tpu-v4-podslice", "3x3x3", kNo, ""},
                    Case{"tpu-v4-podslice", "4x2x2", kNo, "comes as 2x2x1, 2x2x2"},
                    Case{"tpu-v4-podslice", "4x4x8", kYes, ""},
                    Case{"tpu-v4-podslice", "4x4x12", kYes, ""},
                    Case{"tpu-v4-podslice", "4x4x10", kNo, "multiple of 4"},
                    Case{"tpu-v4-podslice", "4x12x4", kMaybe, "rising order, as 4x4x12"},
                    Case{"tpu-v4-podslice", "8x4x4", kMaybe, "4x4x8"},
                    Case{"tpu-v4-podslice", "12x16x16", kYes, ""},
                    Case{"tpu-v4-podslice", "16x16x16", kYes, ""},
                    Case{"tpu-v4-podslice", "16x16x32", kNo,
                         "the largest tpu-v4-podslice slice has 4096"}));

INSTANTIATE_TEST_SUITE_P(V5p, OfferTest,
                         testing::Values(Case{"tpu-v5p-slice", "2x2x2", kYes, ""},
                                         Case{"tpu-v5p-slice", "1x1x1", kMaybe, "Cluster Toolkit"},
                                         Case{"tpu-v5p-slice", "1x2x1", kMaybe, "ct5p-hightpu-2t"},
                                         Case{"tpu-v5p-slice", "2x1x1", kNo, ""},
                                         Case{"tpu-v5p-slice", "8x8x8", kYes, ""},
                                         Case{"tpu-v5p-slice", "4x12x4", kNo,
                                              "must be in rising order, as 4x4x12"},
                                         Case{"tpu-v5p-slice", "8x4x4", kNo, "4x4x8"},
                                         Case{"tpu-v5p-slice", "16x16x24", kYes, ""},
                                         Case{"tpu-v5p-slice", "16x20x28", kMaybe,
                                              "8960 chips, and the documents end at 6144"},
                                         Case{"tpu-v5p-slice", "16x24x24", kNo, "9216 chips"}));

INSTANTIATE_TEST_SUITE_P(
    Tpu7x, OfferTest,
    testing::Values(Case{"tpu7x", "1x1x1", kYes, ""}, Case{"tpu7x", "2x2x1", kYes, ""},
                    Case{"tpu7x", "1x2x2", kNo, ""}, Case{"tpu7x", "2x2x2", kYes, ""},
                    Case{"tpu7x", "2x2x4", kYes, ""}, Case{"tpu7x", "2x4x4", kYes, ""},
                    Case{"tpu7x", "4x4x4", kYes, ""}, Case{"tpu7x", "4x8x32", kYes, ""},
                    Case{"tpu7x", "4x4", kNo, "3 dimensions"}, Case{"tpu7x", "3x4x4", kNo, ""},
                    Case{"tpu7x", "8x4x4", kNo, "rising order"},
                    Case{"tpu7x", "16x16x36", kYes, ""}, Case{"tpu7x", "16x24x24", kYes, ""},
                    Case{"tpu7x", "16x16x40", kNo,
                         "10240 chips, and the largest tpu7x slice has 9216"}));

INSTANTIATE_TEST_SUITE_P(Tpu7, OfferTest,
                         testing::Values(Case{"tpu7", "4x4x16", kYes, ""},
                                         Case{"tpu7", "16x4x4", kMaybe, "no source"},
                                         Case{"tpu7", "4x8x16", kNo, "512 chips"}));

struct HostCase {
  std::string_view label;
  std::string_view topology;
  std::int64_t chips_per_host;
  std::int64_t hosts;  // 0: no machine has that many chips there
};

std::ostream& operator<<(std::ostream& out, const HostCase& row) {
  return out << row.label << ' ' << row.topology << " / " << row.chips_per_host;
}

class HostsTest : public testing::TestWithParam<HostCase> {};

TEST_P(HostsTest, AreCounted) {
  const auto& [label, topology, chips, hosts] = GetParam();
  std::int64_t found = 0;
  for (const Placement& placement : Labelled(label).PlacementsOf(*Topology::Parse(topology))) {
    if (placement.chips_per_host() == chips) found = placement.hosts;
  }
  EXPECT_EQ(found, hosts);
}

INSTANTIATE_TEST_SUITE_P(
    All, HostsTest,
    testing::Values(
        HostCase{"tpu-v3-device", "2x2", 4, 1}, HostCase{"tpu-v4-podslice", "2x2x1", 4, 1},
        HostCase{"tpu-v4-podslice", "2x2x2", 4, 2}, HostCase{"tpu-v4-podslice", "2x2x4", 4, 4},
        HostCase{"tpu-v4-podslice", "2x4x4", 4, 8}, HostCase{"tpu-v5p-slice", "4x4x4", 4, 16},
        HostCase{"tpu-v5p-slice", "8x8x8", 4, 128}, HostCase{"tpu-v5-lite-podslice", "1x1", 1, 1},
        HostCase{"tpu-v5-lite-podslice", "1x1", 4, 0},
        HostCase{"tpu-v5-lite-podslice", "2x4", 8, 1},
        HostCase{"tpu-v5-lite-podslice", "2x4", 4, 2}, HostCase{"tpu-v5-lite-device", "2x4", 8, 1},
        HostCase{"tpu-v5-lite-device", "2x4", 4, 0}, HostCase{"tpu-v6e-slice", "1x1", 1, 1},
        HostCase{"tpu-v6e-slice", "2x2", 4, 1}, HostCase{"tpu-v6e-slice", "2x4", 4, 2},
        HostCase{"tpu-v6e-slice", "2x4", 8, 1}, HostCase{"tpu-v6e-slice", "4x4", 4, 4},
        HostCase{"tpu-v6e-slice", "4x4", 8, 0}, HostCase{"tpu-v6e-slice", "16x16", 4, 64},
        HostCase{"tpu7x", "2x2x2", 4, 2}, HostCase{"tpu7x", "4x4x4", 4, 16},
        HostCase{"tpu7x", "4x4x8", 4, 32}, HostCase{"tpu7x", "8x8x8", 4, 128},
        HostCase{"tpu7x", "8x8x16", 4, 256}, HostCase{"tpu7x", "16x16x16", 4, 1024},
        HostCase{"tpu7x", "16x16x36", 4, 2304}, HostCase{"tpu7x", "1x1x1", 1, 1},
        HostCase{"tpu7x", "2x2x1", 1, 0}));

}  // namespace
}  // namespace tpu_admission::tpu::offer_test
