// The words of rules name figures of the catalog: the two must not drift apart.
#include <gtest/gtest.h>

#include "unit/rules/judge.h"

namespace tpu_admission::rules {
namespace {

std::string WordsOf(std::string_view id) {
  const Rule* rule = FindRule(id);
  if (rule == nullptr) return "";
  return std::string(rule->words.what) + rule->words.why.data() + rule->words.fix.data();
}

struct Named {
  const char* rule;
  std::string figure;
};

TEST(CatalogWords, RulesExplainThemselvesByTheFiguresOfTheCatalog) {
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
TEST(CatalogWords, TheMachineWithoutSmtIsTheOneOfTheCatalog) {
  for (const tpu::Generation& generation : TestCatalog()->generations()) {
    for (const tpu::MachineType& machine : generation.machines) {
      EXPECT_EQ(machine.threads_per_core == 1, machine.name == "ct6e-standard-8t") << machine.name;
    }
  }
}

}  // namespace
}  // namespace tpu_admission::rules
