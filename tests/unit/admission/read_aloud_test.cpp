// What a user reads after each of the sixty commonest mistakes, on one page: read_aloud.txt. It is
// meant to be read by a person who knows Kubernetes and has never seen a TPU; what cannot be
// followed without another page is to be rewritten. UPDATE_GOLDEN=1 writes it anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/asker.h"
#include "support/rule_cases.h"
#include "support/rule_page.h"
#include "support/temp_dir.h"
#include "support/yaml_json.h"

namespace tpu_admission::admission::read_aloud_test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = TPU_ADMISSION_SOURCE_DIR;

// By what public manifests and the issues of tools get wrong, the commonest first.
constexpr std::array<std::string_view, 60> kMistakes = {
    "TPU301/too-many",
    "TPU301/no-accelerator",
    "TPU301/more-than-topology",
    "TPU301/too-few",
    "TPU301/tpu7x-three",
    "TPU301/two-kinds-of-host",
    "TPU401/too-few",
    "TPU401/absent",
    "TPU401/left-over",
    "TPU401/jobset",
    "TPU401/jobset-together",
    "TPU401/lws",
    "TPU401/lws-cpu-leader",
    "TPU401/ray-absent",
    "TPU401/ray",
    "TPU401/statefulset",
    "TPU401/two-hosts-of-2x4",
    "TPU102/standard",
    "TPU102/node-pool",
    "TPU102/node-name",
    "TPU103/standard",
    "TPU103/job",
    "TPU101/misspelt",
    "TPU101/cloud-tpu-name",
    "TPU101/v7x-lite",
    "TPU101/guess-by-topology",
    "TPU101/new-generation",
    "TPU108/tpu-under-gpu-key",
    "TPU108/two-containers",
    "TPU201/upper-case",
    "TPU201/one-number",
    "TPU202/cube-on-v6e",
    "TPU202/flat-on-v5p",
    "TPU203/3x3",
    "TPU203/order",
    "TPU203/multiple",
    "TPU110/topology",
    "TPU110/generation",
    "TPU111/chips-of-the-slice",
    "TPU302/unequal",
    "TPU302/request-only",
    "TPU303/two",
    "TPU304/fraction",
    "TPU308/no-container",
    "TPU402/two",
    "TPU403/plain",
    "TPU404/more",
    "TPU405/deployment",
    "TPU406/one-pod-a-job",
    "TPU409/job",
    "TPU413/6-of-4",
    "TPU501/v6e",
    "TPU505/any",
    "TPU507/spot",
    "TPU513/spot-false",
    "TPU602/cpu",
    "TPU603/memory",
    "TPU607/claim-template",
    "TPU608/above-limit",
    "TPU106/topology",
};

fs::path CaseOf(std::string_view mistake) {
  const rules::Rule* rule = rules::FindRule(mistake.substr(0, mistake.find('/')));
  if (rule == nullptr) return {};
  const std::string name = "fail-" + std::string(mistake.substr(mistake.find('/') + 1)) + ".yaml";
  return kSource / "src" / "rules" / rules::FolderOf(*rule) / "cases" / name;
}

Answer AnswerTo(const std::string& manifest) {
  Asker asker({.policy = "", .docs_url = "", .cluster = rules::ClusterOf(manifest)});
  return asker.Validate(Review(nlohmann::json::parse(ParseYaml(manifest).value().front().json)));
}

// As kubectl prints it.
std::string Printed(const Answer& answer) {
  std::string text;
  for (const std::string& warning : answer.warnings()) text += "Warning: " + warning + "\n";
  return answer.allowed() ? text : text + "Error: " + answer.message() + "\n";
}

// The lines that `text` takes on a terminal of so many columns.
std::size_t LinesOf(const std::string& text, std::size_t columns) {
  std::size_t lines = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines += std::max<std::size_t>(1, (line.size() + columns - 1) / columns);
  }
  return lines;
}

TEST(ReadAloud, TheSixtyCommonestMistakesAreAnswered) {
  std::string page;
  for (const std::string_view mistake : kMistakes) {
    const std::string manifest = support::ReadText(CaseOf(mistake));
    ASSERT_NE(manifest, "") << mistake;
    const std::string printed = Printed(AnswerTo(manifest));
    EXPECT_NE(printed, "") << mistake;
    page.append("=== ").append(mistake).append("\n").append(printed).append("\n");
  }
  const fs::path golden = kSource / "tests" / "unit" / "admission" / "read_aloud.txt";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << page;
  EXPECT_EQ(page, support::ReadText(golden));
}

TEST(ReadAloud, ADenialOfTwoFaultsFitsATerminal) {
  int of_two = 0;
  for (const fs::path& path : support::RuleCases()) {
    if (!path.filename().string().starts_with("fail-")) continue;
    const Answer answer = AnswerTo(support::ReadText(path));
    if (answer.allowed()) continue;
    const auto& findings = answer.record.findings;
    if (std::count_if(findings.begin(), findings.end(), Denies) > 2) continue;
    ++of_two;
    EXPECT_LE(LinesOf(answer.message(), 100), 24U) << path << "\n" << answer.message();
  }
  EXPECT_GT(of_two, 100);
}

}  // namespace
}  // namespace tpu_admission::admission::read_aloud_test
