// Every rule has a README with all its sections, and the manifests in it are true.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/rule_page.h"
#include "tpu_admission/admission/decision.h"
#include "unit/rules/judge.h"

namespace tpu_admission::rules::readme_test {
namespace {

class RuleReadme : public testing::TestWithParam<const Rule*> {
 protected:
  const Rule& rule() const { return *GetParam(); }

  std::vector<Finding> FindingsOfManifest(const std::string& title) const {
    const std::string manifest = ManifestOf(rule(), title);
    EXPECT_NE(manifest, "") << "no ```yaml block is all of the section " << title;
    return FindingsOf(manifest, ClusterOf(manifest));
  }
};

TEST_P(RuleReadme, HasAllSections) {
  const std::string page(ReadmeOf(rule()));
  const std::string head = "# " + std::string(rule().id) + " " + std::string(rule().name) +
                           "\n\n**" + std::string(Name(rule().mode)) + "**: ";
  EXPECT_TRUE(page.starts_with(head)) << page.substr(0, head.size() + 20);
  EXPECT_GT(SummaryOf(rule()).size(), 15u);
  EXPECT_LE(SummaryOf(rule()).size(), 120u) << "one line of the index";
  std::size_t last = head.size();
  for (const char* title : {"Why", "What to do", "Wrong", "Right", "Sources"}) {
    const std::size_t at = page.find("\n## " + std::string(title) + "\n");
    ASSERT_NE(at, page.npos) << title;
    EXPECT_GT(at, last) << title << " is out of order";
    EXPECT_GT(SectionOf(rule(), title).size(), 20u) << title;
    last = at;
  }
  EXPECT_TRUE(SectionOf(rule(), "Sources").starts_with("- "));
}

TEST_P(RuleReadme, WrongManifestMakesTheRuleSpeak) {
  const std::vector<Finding> findings = FindingsOfManifest("Wrong");
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(),
                          [&](const Finding& finding) { return finding.rule == &rule(); }));
}

TEST_P(RuleReadme, RightManifestMakesNoRuleSpeak) {
  for (const Finding& finding : FindingsOfManifest("Right")) {
    EXPECT_LE(finding.mode(), Mode::kAudit) << admission::Paragraph(finding);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleReadme, testing::ValuesIn(AllRules()),
                         [](const auto& rule) { return std::string(rule.param->id); });

}  // namespace
}  // namespace tpu_admission::rules::readme_test
