// Every manifest in cases/ of a rule's folder is a test: of pass-*.yaml the rule says nothing, of
// fail-*.yaml it says what stands beside it in the .txt file. Comments of the first lines set the
// cluster: `# cluster-location: us-east5`, `# cluster-mode: autopilot`, `# gke-version: 1.31.1`.
//
// UPDATE_GOLDEN=1 writes the .txt files anew; read each aloud before you commit it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/rule_cases.h"
#include "support/rule_page.h"
#include "support/temp_dir.h"
#include "tpu_admission/admission/decision.h"
#include "unit/rules/judge.h"

namespace tpu_admission::rules::fixtures_test {
namespace {

namespace fs = std::filesystem;

// The folder of the rule that the case `path` lies with.
std::string FolderOfCase(const fs::path& path) {
  return path.parent_path().parent_path().filename();
}

std::string FixText(const Fix& fix) {
  if (std::holds_alternative<AddToleration>(fix)) return "fix: adds the toleration\n";
  if (std::holds_alternative<SetDnsPolicy>(fix)) {
    return "fix: sets dnsPolicy ClusterFirstWithHostNet\n";
  }
  if (const auto* host = std::get_if<SetHostname>(&fix)) {
    return "fix: sets hostname " + host->name + "\n";
  }
  if (const auto* domain = std::get_if<SetSubdomain>(&fix)) {
    return "fix: sets subdomain " + domain->name + "\n";
  }
  if (const auto* added = std::get_if<AddVariables>(&fix)) {
    std::string lines;
    for (const NewVariable& variable : added->variables) {
      lines += "fix: adds " + std::string(variable.name) + " " + variable.value + "\n";
    }
    return lines;
  }
  if (const auto* set = std::get_if<ReplaceVariable>(&fix)) {
    return "fix: replaces " + std::string(set->variable.name) + " " + set->variable.value + "\n";
  }
  if (const auto* kept = std::get_if<KeepTogether>(&fix)) {
    return "fix: keeps pods together by " + std::string(kept->label) + " " + kept->value + "\n";
  }
  const auto* requests = std::get_if<AddRequests>(&fix);
  std::string text = "fix:";
  if (requests->cpu_millis) text += " cpu " + std::to_string(*requests->cpu_millis) + "m";
  if (requests->memory_mib) text += " memory " + std::to_string(*requests->memory_mib) + "Mi";
  return text + "\n";
}

// One line that kubectl prints whole: what is wrong, and what to do.
void ExpectUsefulWarning(const Finding& finding) {
  const std::string warning = admission::Warning(finding);
  EXPECT_LE(warning.size(), admission::kWarningBytes) << warning;
  EXPECT_NE(warning.find("; "), warning.npos) << warning << " names no change:\n"
                                              << finding.Change();
}

// What a golden file holds: mode, warning and paragraph of each finding of the rule, and its fixes.
std::string Spoken(const Judged& judged, const Rule& rule) {
  std::string text;
  for (const Finding& finding : judged.findings) {
    if (finding.rule != &rule) continue;
    if (finding.mode() == Mode::kWarn) ExpectUsefulWarning(finding);
    text += std::string(Name(finding.mode())) + "\n" + admission::Warning(finding) + "\n" +
            admission::Paragraph(finding);
  }
  for (const RuleFix& fix : judged.fixes) {
    if (fix.rule == &rule) text += FixText(fix.fix);
  }
  return text;
}

class RuleFixture : public testing::TestWithParam<fs::path> {};

TEST_P(RuleFixture, SpeaksAsWritten) {
  const std::string manifest = support::ReadText(GetParam());
  const std::string folder = FolderOfCase(GetParam());
  const Rule* rule = FindRule(folder.substr(0, folder.find('_')));
  ASSERT_NE(rule, nullptr) << folder;
  const std::string spoken = Spoken(Judge(manifest, ClusterOf(manifest)), *rule);
  if (GetParam().filename().string().starts_with("pass-")) {
    EXPECT_EQ(spoken, "");
    return;
  }
  EXPECT_NE(spoken, "");
  const fs::path golden = fs::path(GetParam()).replace_extension(".txt");
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << spoken;
  EXPECT_EQ(spoken, support::ReadText(golden));
}

TEST_P(RuleFixture, EditsTakeTheirFindingAway) {
  const std::string manifest = support::ReadText(GetParam());
  EXPECT_THAT(LeftByTheirEdits(manifest, ClusterOf(manifest)), testing::IsEmpty());
}

// What a person must decide is named, so that a denial can say why it has no repair.
TEST_P(RuleFixture, WhatIsToldCarriesEditsOrSaysWhoDecides) {
  const std::string manifest = support::ReadText(GetParam());
  for (const Finding& finding : FindingsOf(manifest, ClusterOf(manifest))) {
    if (finding.mode() < Mode::kWarn) continue;
    if (finding.rule->id == "TPU104") continue;  // an item of a list, which the rule's fix adds
    EXPECT_NE(finding.edits.empty(), finding.decision.empty()) << finding.rule->id;
    EXPECT_NE(finding.decision, "what is meant") << finding.rule->id << ": " << finding.Change();
    EXPECT_FALSE(finding.Change().empty());
  }
}

std::string TestName(const testing::TestParamInfo<fs::path>& info) {
  std::string name = FolderOfCase(info.param) + "_" + info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleFixture, testing::ValuesIn(support::RuleCases()), TestName);

// The cases of `rule` that speak otherwise than their golden text when `rules` judge alone.
int CasesThatNotice(const Rule& rule, std::span<const Rule* const> rules) {
  int noticed = 0;
  for (const fs::path& path : support::RuleCases()) {
    if (FolderOfCase(path) != FolderOf(rule)) continue;
    const std::string manifest = support::ReadText(path);
    const std::string spoken = Spoken(Judge(manifest, ClusterOf(manifest), rules), rule);
    noticed += spoken == support::ReadText(fs::path(path).replace_extension(".txt")) ? 0 : 1;
  }
  return noticed;
}

// If a rule were lost from the engine, its cases would say so.
TEST(RuleMutation, EveryRuleIsMissedWhenItIsOff) {
  for (const Rule* off : AllRules()) {
    std::vector<const Rule*> rest(AllRules().begin(), AllRules().end());
    std::erase(rest, off);
    EXPECT_GT(CasesThatNotice(*off, rest), 0) << "nobody misses " << off->id;
  }
}

// And only then: a case that noticed whatever is off, or nothing at all, would show here.
TEST(RuleMutation, NoRuleIsMissedWhenAnotherIsOff) {
  for (const Rule* rule : AllRules()) {
    const Rule* other = rule == AllRules().front() ? AllRules().back() : AllRules().front();
    std::vector<const Rule*> rest(AllRules().begin(), AllRules().end());
    std::erase(rest, other);
    EXPECT_EQ(CasesThatNotice(*rule, rest), 0) << rule->id;
  }
}

}  // namespace
}  // namespace tpu_admission::rules::fixtures_test
