// A manifest in, its findings out: the way of every test of rules.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/rules/engine.h"

namespace tpu_admission::rules {

// The built-in catalog, loaded once.
std::shared_ptr<const tpu::Catalog> TestCatalog();

struct Judged {
  std::vector<Finding> findings;
  std::vector<RuleFix> fixes;
};

// Findings and fixes for the one object in `yaml` that is no Service. The test fails if it cannot
// be read.
Judged Judge(std::string_view yaml, const Cluster& cluster = {},
             std::span<const Rule* const> rules = AllRules());

// What the edits of each finding leave of it when they are made to the letter: "TPU301: <change>"
// for each that is still found.
std::vector<std::string> LeftByTheirEdits(std::string_view yaml, const Cluster& cluster = {});

inline std::vector<Finding> FindingsOf(std::string_view yaml, const Cluster& cluster = {}) {
  return Judge(yaml, cluster).findings;
}

}  // namespace tpu_admission::rules
