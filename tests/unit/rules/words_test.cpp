// Every rule has words, and its examples are true.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "tpu_admission/admission/decision.h"
#include "unit/rules/judge.h"

namespace tpu_admission::rules {
namespace {

class RuleWords : public testing::TestWithParam<const Rule*> {
 protected:
  const Rule& rule() const { return *GetParam(); }

  // Some rules speak only where the cluster's place, version or mode is known.
  Cluster cluster() const {
    Cluster cluster;
    const bool location = rule().id == "TPU503" || rule().id == "TPU504";
    if (location) cluster.region = "europe-west4";
    if (rule().id == "TPU509") cluster.gke_version = "1.30.5-gke.1014001";
    if (rule().id == "TPU510") cluster.platform = Platform::kAutopilot;
    return cluster;
  }
};

TEST_P(RuleWords, AreAllThere) {
  // TPU and three digits; words of [a-z0-9] with dashes between. (g++ 12 cannot compile std::regex
  // under -fsanitize without a false warning.)
  EXPECT_EQ(rule().id.size(), 6u);
  EXPECT_TRUE(rule().id.starts_with("TPU") && rule().id[3] >= '1' && rule().id[3] <= '7');
  EXPECT_EQ(rule().id.find_first_not_of("0123456789", 3), rule().id.npos);
  EXPECT_EQ(rule().name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
            rule().name.npos);
  EXPECT_TRUE(!rule().name.starts_with('-') && !rule().name.ends_with('-'));
  EXPECT_EQ(rule().name.find("--"), rule().name.npos);
  for (const std::string_view words : {rule().words.what, rule().words.why, rule().words.fix}) {
    EXPECT_GT(words.size(), 40u);
    EXPECT_TRUE(words.ends_with('.')) << words;
  }
  EXPECT_FALSE(rule().words.sources.empty());
  EXPECT_NE(rule().check, nullptr);
}

TEST_P(RuleWords, WrongExampleMakesTheRuleSpeak) {
  const std::vector<Finding> findings = FindingsOf(rule().words.wrong, cluster());
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(),
                          [&](const Finding& finding) { return finding.rule == &rule(); }));
}

TEST_P(RuleWords, RightExampleMakesNoRuleSpeak) {
  for (const Finding& finding : FindingsOf(rule().words.right, cluster())) {
    EXPECT_LE(finding.mode(), Mode::kAudit) << admission::Paragraph(finding);
  }
}

TEST_P(RuleWords, FolderIsNamedAfterTheRule) {
  std::string folder = std::string(rule().id) + "_" + std::string(rule().name);
  std::replace(folder.begin(), folder.end(), '-', '_');
  const auto path = std::filesystem::path(TPU_ADMISSION_SOURCE_DIR) / "src" / "rules" / folder;
  EXPECT_TRUE(std::filesystem::exists(path / "check.cpp")) << path;
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleWords, testing::ValuesIn(AllRules()),
                         [](const auto& rule) { return std::string(rule.param->id); });

TEST(RuleList, IdsAndNamesAreUniqueAndInOrder) {
  std::set<std::string_view> ids;
  std::set<std::string_view> names;
  std::string_view last;
  for (const Rule* rule : AllRules()) {
    EXPECT_LT(last, rule->id);
    last = rule->id;
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_EQ(FindRule(rule->id), rule);
    EXPECT_EQ(FindRule(rule->name), rule);
  }
}

}  // namespace
}  // namespace tpu_admission::rules
