// The one call behind every face of the product: a workload in, all findings out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/rules/cluster.h"
#include "tpu_admission/rules/finding.h"
#include "tpu_admission/tpu/catalog.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::rules {

struct RuleFix {
  const Rule* rule = nullptr;
  Fix fix;
};

// What the rules say of a workload.
struct Evaluation {
  // What all alternatives of a pod set's node selection have; the hardest first, then by rule.
  std::vector<Finding> findings;
  // What only some alternatives have: by pod set, alternative and rule. None of it is a fault,
  // unless there is no alternative without one.
  std::vector<Finding> of_alternatives;
  // What all alternatives have and another rule speaks of (Finding::told_by_another).
  std::vector<Finding> told_by_others;
  // There were more faults than may be told: some are missing here.
  bool is_cut = false;
};

// Immutable, safe from any thread.
class Engine {
 public:
  // Judges by `rules` alone, which are of the list and in its order.
  Engine(std::shared_ptr<const tpu::Catalog> catalog, Cluster cluster,
         std::span<const Rule* const> rules = AllRules());

  // What the texts of findings may take in memory; what is beyond is left out.
  static constexpr std::size_t kMostBytes = 4 << 20;

  // All findings of all rules, within `most_bytes`. Its views live as long as the workload.
  Evaluation Evaluate(const workload::Workload& workload,
                      std::size_t most_bytes = kMostBytes) const;
  // What `rules`, a part of those that judge, would mend safely in the workload: of every
  // alternative the smallest, and only what all have.
  std::vector<RuleFix> Fixes(const workload::Workload& workload,
                             std::span<const Rule* const> rules) const;
  std::vector<RuleFix> Fixes(const workload::Workload& workload) const {
    return Fixes(workload, rules_);
  }

  // The accelerator label of the nodes that the pods select, as the catalog writes it; empty if the
  // catalog does not know it, or if the alternatives differ.
  std::string_view AcceleratorOf(const workload::PodSet& pods) const;

  const tpu::Catalog& catalog() const { return *catalog_; }
  const Cluster& cluster() const { return cluster_; }
  std::span<const Rule* const> rules() const { return rules_; }

 private:
  std::shared_ptr<const tpu::Catalog> catalog_;
  Cluster cluster_;
  std::vector<const Rule*> rules_;
};

}  // namespace tpu_admission::rules
