#include "tpu_admission/rules/engine.h"

#include <gtest/gtest.h>

#include "unit/rules/judge.h"

namespace tpu_admission::rules::engine_test {
namespace {

// A Pod with the required node affinity terms `terms` (YAML flow list).
std::string PodWith(const std::string& terms, const std::string& chips = "4") {
  return R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: )" +
         terms + R"(
  containers:
  - name: jax
    resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: )" +
         chips + "}}\n";
}

std::string Term(const std::string& accelerator, const std::string& topology) {
  return "{matchExpressions: [{key: cloud.google.com/gke-tpu-accelerator, operator: In, values: [" +
         accelerator + "]}, {key: cloud.google.com/gke-tpu-topology, operator: In, values: [" +
         topology + "]}]}";
}

std::vector<std::string> Denials(const std::string& yaml) {
  std::vector<std::string> ids;
  for (const Finding& finding : FindingsOf(yaml)) {
    if (finding.mode() == Mode::kDeny) ids.emplace_back(finding.rule->id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

TEST(Engine, ReportsWhatEveryAlternativeHas) {
  const std::string wrong = Term("tpu-v6e-slice", "3x3");
  const std::string right = Term("tpu-v6e-slice", "2x2");
  EXPECT_EQ(Denials(PodWith("[" + wrong + "]")), Ids{"TPU203"});
  EXPECT_EQ(Denials(PodWith("[" + wrong + ", " + wrong + "]")), Ids{"TPU203"});
  EXPECT_EQ(Denials(PodWith("[" + wrong + ", " + right + "]")), Ids{});
}

TEST(Engine, TakesValuesOfOneExpressionAsAlternatives) {
  EXPECT_EQ(Denials(PodWith("[" + Term("tpu-v6e-slice", "'3x3', '5x5'") + "]")), Ids{"TPU203"});
  EXPECT_EQ(Denials(PodWith("[" + Term("tpu-v6e-slice", "'3x3', '2x2'") + "]")), Ids{});
}

TEST(Engine, TakesTheMildestModeOfTheAlternatives) {
  // 16x20x28 is disputed for v5p (warn), 3x3x3 is not offered (deny).
  const std::string terms =
      "[" + Term("tpu-v5p-slice", "3x3x3") + ", " + Term("tpu-v5p-slice", "16x20x28") + "]";
  EXPECT_EQ(Denials(PodWith(terms)), Ids{});
}

TEST(Engine, SaysNothingAboutMoreAlternativesThanItCanJudge) {
  std::string values = "'3x3'";
  for (int i = 3; i < 60; ++i) values += ", '3x" + std::to_string(i) + "'";
  EXPECT_EQ(Denials(PodWith("[" + Term("tpu-v6e-slice", values) + "]")), Ids{});
}

TEST(Engine, PutsTheHardestFindingsFirst) {
  const std::vector<Finding> findings =
      FindingsOf(PodWith("[" + Term("tpu-v6e-slice", "2x2") + "]", "8"));
  ASSERT_GE(findings.size(), 2u);
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_GE(findings[i - 1].mode(), findings[i].mode());
  }
}

TEST(Engine, AsksRulesOnlyAboutTheirAudience) {
  // Without chips the hosts do not matter; that there are no chips does.
  const std::vector<Finding> findings =
      FindingsOf(PodWith("[" + Term("tpu-v6e-slice", "4x4") + "]", "0"));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().rule->id, "TPU109");
}

struct RegionCase {
  std::string_view location;
  std::string_view region;
};

class Regions : public testing::TestWithParam<RegionCase> {};

TEST_P(Regions, AreCutAfterTheLastDash) {
  EXPECT_EQ(RegionOf(GetParam().location), GetParam().region);
}

INSTANTIATE_TEST_SUITE_P(Cases, Regions,
                         testing::Values(RegionCase{"us-central1-a", "us-central1"},
                                         RegionCase{"us-central1-ai1a", "us-central1"},
                                         RegionCase{"us-central1", "us-central1"},
                                         RegionCase{"nowhere", ""}, RegionCase{"", ""}));

}  // namespace
}  // namespace tpu_admission::rules::engine_test
