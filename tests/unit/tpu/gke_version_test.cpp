#include "tpu_admission/tpu/gke_version.h"

#include <gtest/gtest.h>

namespace tpu_admission::tpu::gke_version_test {
namespace {

struct Case {
  const char* name;
  const char* one;
  const char* other;
  bool below;
};

class GkeVersionTest : public testing::TestWithParam<Case> {};

TEST_P(GkeVersionTest, ComparesPartByPart) {
  const auto one = GkeVersion::Parse(GetParam().one);
  const auto other = GkeVersion::Parse(GetParam().other);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->IsBelow(*other), GetParam().below);
}

INSTANTIATE_TEST_SUITE_P(
    Versions, GkeVersionTest,
    testing::Values(Case{"Same", "1.31.1-gke.1146000", "1.31.1-gke.1146000", false},
                    Case{"BuildAsNumber", "1.31.1-gke.999", "1.31.1-gke.1146000", true},
                    Case{"BuildAbove", "1.31.1-gke.1846000", "1.31.1-gke.1146000", false},
                    Case{"PatchBeforeBuild", "1.31.1-gke.9999999", "1.31.2-gke.1", true},
                    Case{"MinorAsNumber", "1.9.0-gke.1", "1.31.0-gke.1", true},
                    Case{"MinorAbove", "1.34.0-gke.1", "1.31.9-gke.9", false},
                    Case{"Major", "1.99.0-gke.1", "2.0.0-gke.1", true},
                    Case{"OlderMinorAlone", "1.30", "1.31.1-gke.1", true},
                    Case{"SameMinorAloneIsNotKnown", "1.31", "1.31.1-gke.1", false},
                    Case{"SamePatchAloneIsNotKnown", "1.31.1", "1.31.1-gke.1", false},
                    Case{"LeadingV", "v1.30.5-gke.1014001", "1.31.0-gke.1500", true},
                    Case{"TrailingCommit", "1.31.1-gke.1000+abc", "1.31.1-gke.1146000", true}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(GkeVersion, RefusesWhatIsNone) {
  for (const char* text : {"", "latest", "1", "1.", "-gke.1", "x1.31", "1-31", "1.x", "1.3x",
                           "1.34.", "1.34.x", "1.34.1.2", "1.34.1 ", "1.34.1-gke.1x"}) {
    EXPECT_FALSE(GkeVersion::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace tpu_admission::tpu::gke_version_test
