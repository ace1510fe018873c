#include <gtest/gtest.h>

#include <string>

#include "tpu_admission/tpu/guess.h"
#include "unit/tpu/built_in.h"

namespace tpu_admission::tpu::catalog_guess_test {
namespace {

struct Guess {
  std::string_view label;
  std::string_view meant;  // "" for no idea
};

std::ostream& operator<<(std::ostream& out, const Guess& row) { return out << row.label; }

class GuessTest : public testing::TestWithParam<Guess> {};

TEST_P(GuessTest, NamesWhatWasMeant) {
  const Generation* const meant = BuiltIn().Guess(GetParam().label);
  EXPECT_EQ(meant == nullptr ? "" : meant->label, GetParam().meant);
}

INSTANTIATE_TEST_SUITE_P(KnownWrong, GuessTest,
                         testing::Values(Guess{"tpu-v5e-slice", "tpu-v5-lite-podslice"},
                                         Guess{"tpu-v5e-podslice", "tpu-v5-lite-podslice"},
                                         Guess{"tpu-v5-podslice", "tpu-v5p-slice"},
                                         Guess{"tpu-v6e-podslice", "tpu-v6e-slice"},
                                         Guess{"tpu-v7x-slice", "tpu7x"},
                                         Guess{"tpu-v7-slice", "tpu7x"}));

INSTANTIATE_TEST_SUITE_P(
    Names, GuessTest,
    testing::Values(Guess{"v6e", "tpu-v6e-slice"}, Guess{"V6E", "tpu-v6e-slice"},
                    Guess{"trillium", "tpu-v6e-slice"}, Guess{"v5e", "tpu-v5-lite-podslice"},
                    Guess{"v5litepod", "tpu-v5-lite-podslice"}, Guess{"v5p", "tpu-v5p-slice"},
                    Guess{"v4", "tpu-v4-podslice"}, Guess{"v3", "tpu-v3-device"},
                    Guess{"ironwood", "tpu7x"}, Guess{"v7x", "tpu7x"},
                    Guess{"ct6e", "tpu-v6e-slice"}, Guess{"ct5l", "tpu-v5-lite-device"},
                    Guess{"ct6e-standard-4t", "tpu-v6e-slice"},
                    Guess{"ct5lp-hightpu-8t", "tpu-v5-lite-podslice"},
                    Guess{"tpu7x-standard-4t", "tpu7x"}));

// The accelerator types of Cloud TPU, which count chips or cores.
INSTANTIATE_TEST_SUITE_P(
    CloudTpu, GuessTest,
    testing::Values(Guess{"tpu-v6e-8", "tpu-v6e-slice"}, Guess{"v6e-256", "tpu-v6e-slice"},
                    Guess{"v5litepod-16", "tpu-v5-lite-podslice"}, Guess{"v5p-8", "tpu-v5p-slice"},
                    Guess{"tpu-v5p-128", "tpu-v5p-slice"}, Guess{"v4-8", "tpu-v4-podslice"},
                    Guess{"tpu7x-16", "tpu7x"}, Guess{"tpu-v6e", "tpu-v6e-slice"},
                    Guess{"tpuv6e", "tpu-v6e-slice"}, Guess{"TPU v5e", "tpu-v5-lite-podslice"},
                    Guess{"tpu-v4-slice", "tpu-v4-podslice"},
                    Guess{"tpu-v5-lite", "tpu-v5-lite-podslice"},
                    Guess{"tpu-v5e-pod", "tpu-v5-lite-podslice"},
                    Guess{"tpu-v7-pod-slice", "tpu7x"},
                    Guess{"tpu-v6e-pod-slice", "tpu-v6e-slice"}));

INSTANTIATE_TEST_SUITE_P(Spelling, GuessTest,
                         testing::Values(Guess{"TPU-V6E-SLICE", "tpu-v6e-slice"},
                                         Guess{"tpu-v6e-slise", "tpu-v6e-slice"},
                                         Guess{"tpu_v6e_slice", "tpu-v6e-slice"},
                                         Guess{"tpu-v5-slice", "tpu-v5p-slice"},
                                         Guess{"tpu-v6-slice", "tpu-v6e-slice"},
                                         Guess{"tpuv6e-slice", "tpu-v6e-slice"},
                                         Guess{"tpu-v4-podslices", "tpu-v4-podslice"},
                                         Guess{"tpu-v5-lite-podsclie", "tpu-v5-lite-podslice"}));

INSTANTIATE_TEST_SUITE_P(NoIdea, GuessTest,
                         testing::Values(Guess{"", ""}, Guess{"tpu", ""}, Guess{"gpu", ""},
                                         Guess{"nvidia-l4", ""}, Guess{"nvidia-tesla-t4", ""},
                                         Guess{"tpu8t", ""}, Guess{"tpu-v9-slice", ""},
                                         Guess{"tpu-v9-pod-slice", ""}, Guess{"tpu-v2", ""},
                                         Guess{"-8", ""}, Guess{"x", ""}));

TEST(HintFor, NamesTheGenerationsOfTheNumberElseTheNearestNameElseAll) {
  EXPECT_EQ(HintFor(BuiltIn(), "v6f"), "did you mean v6e?");
  EXPECT_EQ(HintFor(BuiltIn(), "TPU v7"), "did you mean tpu7x or tpu7?");
  EXPECT_EQ(HintFor(BuiltIn(), "trilium"), "did you mean trillium?");
  EXPECT_EQ(HintFor(BuiltIn(), "v9").substr(0, 10), "there are ");
  EXPECT_EQ(HintFor(BuiltIn(), "moon").substr(0, 10), "there are ");
}

TEST(Tidied, IsWhatCanBeRead) {
  for (const char* const text :
       {"2X4", " 2 x 4 ", "2*4", "2,4", "2x4x", "x2x4", "2xx4", "2xXx4x"}) {
    EXPECT_EQ(Tidied(text), Topology::Parse("2x4")) << text;
  }
  for (const char* const text : {"", "x", "16", "16x", "2x", "2x4xx4x4x4", "0x4", "a2x4", "2-4"}) {
    EXPECT_EQ(Tidied(text), std::nullopt) << text;
  }
}

TEST(AsOffered, IsTheSameShapeInAnotherSpelling) {
  const auto same = [](std::string_view label, std::string_view topology) {
    const auto found = AsOffered(*BuiltIn().FindByLabel(label), Topology::Parse(topology).value());
    return found ? found->Text() : "";
  };
  EXPECT_EQ(same("tpu-v6e-slice", "2x2x1"), "2x2");
  EXPECT_EQ(same("tpu-v6e-slice", "1x4x4"), "4x4");
  EXPECT_EQ(same("tpu-v6e-slice", "1x1x1"), "1x1");
  EXPECT_EQ(same("tpu7x", "2x2"), "2x2x1");
  EXPECT_EQ(same("tpu7x", "1x1"), "1x1x1");
  EXPECT_EQ(same("tpu7x", "4x4"), "") << "which it does not have";
  EXPECT_EQ(same("tpu-v6e-slice", "2x2x2"), "");
  EXPECT_EQ(same("tpu-v6e-slice", "4x2"), "2x4");
  EXPECT_EQ(same("tpu-v5p-slice", "4x4x2"), "2x4x4");
  EXPECT_EQ(same("tpu-v5p-slice", "1x2x2"), "2x2x1");
  EXPECT_EQ(same("tpu-v6e-slice", "2x4"), "") << "which is as it is";
}

TEST(GuessTest, LongLabelsCostNothing) {
  EXPECT_EQ(BuiltIn().Guess(std::string(1'000'000, 'v')), nullptr);
}

class NewGenerationTest : public testing::TestWithParam<std::string_view> {};
class OldGenerationTest : public testing::TestWithParam<std::string_view> {};

TEST_P(NewGenerationTest, MayBeOneOfTheFuture) {
  EXPECT_TRUE(BuiltIn().LooksLikeNewGeneration(GetParam()));
}

TEST_P(OldGenerationTest, IsNoneOfTheFuture) {
  EXPECT_FALSE(BuiltIn().LooksLikeNewGeneration(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, NewGenerationTest,
                         testing::Values("tpu8t", "tpu8i", "tpu8", "tpu8t-slice", "tpu10x",
                                         "tpu-v9-slice", "tpu-v2", "tpu-v2-podslice", "tpu-v8e",
                                         "tpu-v6p-slice", "tpu7y", "tpu-8t-slice",
                                         "tpu-8i-podslice", "tpu-9-slice"));

INSTANTIATE_TEST_SUITE_P(All, OldGenerationTest,
                         testing::Values("tpu-v6e-podslice", "tpu-v5e-slice", "v5e", "nvidia-l4",
                                         "tpu7x", "tpu7", "tpu7x-slice", "tpu-v7x-slice",
                                         "tpu-v5p-podslice", "tpu-v5-lite", "tpu-v5litepod-16",
                                         "tpu-v6-slice", "tpu-v3", "", "tpu", "tpux", "tpu-v",
                                         "tpu-vx", "tpu8_t", "tpu8T", "mytpu8t", "tpu-9"));

}  // namespace
}  // namespace tpu_admission::tpu::catalog_guess_test
