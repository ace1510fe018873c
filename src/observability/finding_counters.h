// Findings by rule and by what became of them, and what was mended unasked. Safe from any thread.
#pragma once

#include <array>
#include <vector>

#include "observability/families.h"
#include "tpu_admission/admission/handler.h"

namespace tpu_admission::observability {

class FindingCounters {
 public:
  explicit FindingCounters(Families& families);

  // At /validate.
  void Count(const admission::JudgedFinding& judged);
  // At /mutate: a patch mends what `rule` found.
  void CountFix(const rules::Rule& rule);

 private:
  struct OfRule {
    std::array<std::array<prometheus::Counter*, 4>, 4> by_modes{};  // [mode][would_be]
    prometheus::Counter* ignored = nullptr;
    prometheus::Counter* fixed = nullptr;  // nullptr: the rule has no fix
  };
  std::vector<OfRule> rules_;  // as AllRules()
};

}  // namespace tpu_admission::observability
