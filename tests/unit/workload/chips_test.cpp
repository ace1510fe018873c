#include "tpu_admission/workload/chips.h"

#include <gtest/gtest.h>

#include <string>

#include "support/case_name.h"

namespace tpu_admission::workload::chips_test {
namespace {

class Chips : public testing::Test {
 protected:
  k8s::PodSpec Spec(const std::string& containers) {
    text_ = R"({"containers":[)" + containers + "]}";
    k8s::Decoder decoder(arena_);
    return k8s::DecodePodSpec(parser_.Parse(text_).value(), decoder);
  }

 private:
  std::string text_;
  k8s::JsonParser parser_;
  k8s::Arena arena_;
};

struct Uses {
  std::string name;
  std::string resources;
  bool uses_tpu;
};

class UsesTpuTable : public Chips, public testing::WithParamInterface<Uses> {};

TEST_P(UsesTpuTable, SeesEveryWayToAsk) {
  const k8s::PodSpec spec = Spec(R"({"name":"c","resources":)" + GetParam().resources + "}");
  EXPECT_EQ(UsesTpu(spec.containers.front()), GetParam().uses_tpu);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, UsesTpuTable,
    testing::Values(Uses{"Absent", "null", false}, Uses{"Empty", "{}", false},
                    Uses{"NullLists", R"({"requests":null,"limits":null})", false},
                    Uses{"Limit", R"({"limits":{"google.com/tpu":"4"}})", true},
                    Uses{"Request", R"({"requests":{"google.com/tpu":"4"}})", true},
                    Uses{"RequestFirst",
                         R"({"requests":{"google.com/tpu":"4"},"limits":{"google.com/tpu":"8"}})",
                         true},
                    Uses{"Number", R"({"limits":{"google.com/tpu":4}})", true},
                    Uses{"Fraction", R"({"limits":{"google.com/tpu":4.5}})", true},
                    Uses{"Exponent", R"({"limits":{"google.com/tpu":1e30}})", true},
                    Uses{"Millis", R"({"limits":{"google.com/tpu":"4000m"}})", true},
                    Uses{"Zero", R"({"limits":{"google.com/tpu":"0"}})", false},
                    Uses{"NegativeCounts", R"({"limits":{"google.com/tpu":"-4"}})", true},
                    Uses{"NullAmount", R"({"limits":{"google.com/tpu":null}})", false},
                    Uses{"Unreadable", R"({"limits":{"google.com/tpu":"four"}})", true},
                    Uses{"WrongType", R"({"limits":{"google.com/tpu":[4]}})", true},
                    Uses{"OtherResource", R"({"limits":{"nvidia.com/gpu":"4"}})", false},
                    Uses{"OtherCase", R"({"limits":{"google.com/TPU":"4"}})", false}),
    CaseName());

TEST_F(Chips, OfAPodAreThoseOfContainersThatStay) {
  const k8s::PodSpec spec = Spec(
      R"({"name":"a","resources":{"limits":{"google.com/tpu":"2"}}},
         {"name":"b","resources":{"limits":{"google.com/tpu":2}}},{"name":"c"})");
  EXPECT_EQ(ChipsPerPod(spec), 4);
  EXPECT_EQ(ChipsOf(spec.containers[2]), std::nullopt);
}

TEST_F(Chips, ThatCannotBeReadCountAsNone) {
  for (const char* amount : {"\"1.5\"", "-1", "4294967296", "\"four\""}) {
    const k8s::PodSpec spec = Spec(R"({"name":"a","resources":{"limits":{"google.com/tpu":"4"}}},
                {"name":"b","resources":{"limits":{"google.com/tpu":)" +
                                   std::string(amount) + "}}}");
    EXPECT_EQ(ChipsPerPod(spec), 0) << amount;
  }
}

TEST_F(Chips, OfTheFormerOperatorAreKnownByTheirPrefix) {
  EXPECT_TRUE(UsesLegacyTpu(
      Spec(R"({"resources":{"limits":{"cloud-tpus.google.com/v2":"8"}}})").containers.front()));
  EXPECT_FALSE(
      UsesLegacyTpu(Spec(R"({"resources":{"limits":{"google.com/tpu":"8"}}})").containers.front()));
}

TEST_F(Chips, GpusAreNamedAsTheyAreAskedFor) {
  const auto gpu = [&](const std::string& resources) {
    return std::string(
        GpuResourceOf(Spec(R"({"resources":)" + resources + "}").containers.front()));
  };
  EXPECT_EQ(gpu(R"({"limits":{"google.com/tpu":"4","nvidia.com/gpu":1}})"), "nvidia.com/gpu");
  EXPECT_EQ(gpu(R"({"requests":{"nvidia.com/mig-1g.5gb":"1"}})"), "nvidia.com/mig-1g.5gb");
  EXPECT_EQ(gpu(R"({"limits":{"amd.com/gpu":"1"}})"), "amd.com/gpu");
  EXPECT_EQ(gpu(R"({"limits":{"nvidia.com/gpu":"0"}})"), "");
  EXPECT_EQ(gpu(R"({"limits":{"google.com/tpu":"4"}})"), "");
}

}  // namespace
}  // namespace tpu_admission::workload::chips_test
