// The READMEs of rules name figures of the catalog: the two must not drift apart.
#include <gtest/gtest.h>

#include <algorithm>

#include "tpu_admission/rules/readme.h"
#include "unit/rules/judge.h"

namespace tpu_admission::rules::readme_figures_test {
namespace {

// The page in one line: figures may stand at the end of a line of it.
std::string WordsOf(std::string_view id) {
  const Rule* rule = FindRule(id);
  std::string words(rule == nullptr ? "" : ReadmeOf(*rule));
  std::replace(words.begin(), words.end(), '\n', ' ');
  return words;
}

struct Named {
  const char* rule;
  std::string figure;
};

TEST(RuleReadmes, RulesExplainThemselvesByTheFiguresOfTheCatalog) {
  const tpu::Catalog& catalog = *TestCatalog();
  const tpu::NodeLimits& limits = catalog.node_limits();
  const tpu::Generation& v5p = *catalog.FindByLabel("tpu-v5p-slice");
  const Named named[] = {
      {"TPU401", std::to_string(limits.multi_host_scale_up_hours) + " hours"},
      {"TPU505", "\"specific\""},
      {"TPU509", v5p.min_gke_version.autoscaling},
      {"TPU602", "ct6e-standard-8t"},
      {"TPU605", std::to_string(limits.max_pods) + " pods"},
      {"TPU606", std::to_string(limits.boot_disk_gib) + " GiB"},
      {"TPU703", limits.graceful_termination_version},
      {"TPU703", std::to_string(limits.spot_notice_seconds) + " seconds"},
  };
  for (const Named& row : named) {
    EXPECT_NE(WordsOf(row.rule).find(row.figure), std::string::npos)
        << row.rule << " does not name " << row.figure;
  }
}

// TPU602 says why that machine has fewer CPUs than Compute Engine lists.
TEST(RuleReadmes, TheMachineWithoutSmtIsTheOneOfTheCatalog) {
  for (const tpu::Generation& generation : TestCatalog()->generations()) {
    for (const tpu::MachineType& machine : generation.machines) {
      EXPECT_EQ(machine.threads_per_core == 1, machine.name == "ct6e-standard-8t") << machine.name;
    }
  }
}

}  // namespace
}  // namespace tpu_admission::rules::readme_figures_test
