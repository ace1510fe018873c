// The one call behind every face of the product: a workload in, all findings out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/rules/finding.h"
#include "tpu_admission/tpu/catalog.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::rules {

enum class Platform { kStandard, kAutopilot };

// What is known of the cluster; the defaults say nothing that a rule would judge by.
struct Cluster {
  std::string region;  // empty: not known
  Platform platform = Platform::kStandard;
  std::string gke_version;  // empty: not known
};

// "us-central1-a" and "us-central1" both give "us-central1"; empty if it is neither.
std::string_view RegionOf(std::string_view location);

struct RuleFix {
  const Rule* rule = nullptr;
  std::size_t pod_set = 0;
  Fix fix;
};

// Immutable, safe from any thread.
class Engine {
 public:
  Engine(std::shared_ptr<const tpu::Catalog> catalog, Cluster cluster);

  // All findings of all rules, hardest mode first, then by rule. A finding is there only if every
  // alternative of the node selection has the fault.
  std::vector<Finding> Evaluate(const workload::Workload& workload) const;
  // What would mend the workload safely: of every alternative the smallest, and only what all have.
  std::vector<RuleFix> Fixes(const workload::Workload& workload) const;

  // The accelerator label of the nodes that the pods select, as the catalog writes it; empty if the
  // catalog does not know it, or if the alternatives differ.
  std::string_view AcceleratorOf(const workload::PodSet& pods) const;

  const tpu::Catalog& catalog() const { return *catalog_; }
  const Cluster& cluster() const { return cluster_; }

 private:
  std::shared_ptr<const tpu::Catalog> catalog_;
  Cluster cluster_;
};

}  // namespace tpu_admission::rules
