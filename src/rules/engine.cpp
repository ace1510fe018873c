#include "tpu_admission/rules/engine.h"

#include <algorithm>

#include "rules/subject.h"

namespace tpu_admission::rules {
namespace {

bool IsAsked(const Rule& rule, const workload::Workload& workload) {
  return !rule.judges_counts || !workload.has_known_parent;
}

bool CanFix(const Rule& rule, const workload::Workload& workload) {
  return rule.has_fix && IsAsked(rule, workload);
}

// The findings for one alternative.
template <typename Applies>
std::vector<Finding> JudgeShape(const Subject& subject, std::size_t pod_set, Applies applies) {
  std::vector<Finding> findings;
  for (const Rule* rule : AllRules()) {
    if (!applies(*rule, subject.workload)) continue;
    Report report(*rule, pod_set, findings);
    rule->check(subject, report);
  }
  return findings;
}

// Keeps of `findings` what `others` also have, each in its milder mode: a fault that one
// alternative does not have is none.
void Intersect(std::vector<Finding>& findings, const std::vector<Finding>& others) {
  std::erase_if(findings, [&](Finding& finding) {
    const auto same = std::find_if(others.begin(), others.end(),
                                   [&](const Finding& other) { return finding.SameFault(other); });
    if (same == others.end()) return true;
    if (same->mode() < finding.mode()) finding.milder = same->mode();
    return false;
  });
}

}  // namespace

std::string_view RegionOf(std::string_view location) {
  const std::size_t first = location.find('-');
  const std::size_t last = location.rfind('-');
  if (first == location.npos) return {};
  return first == last ? location : location.substr(0, last);
}

Engine::Engine(std::shared_ptr<const tpu::Catalog> catalog, Cluster cluster)
    : catalog_(std::move(catalog)), cluster_(std::move(cluster)) {}

std::vector<Finding> Engine::Evaluate(const workload::Workload& workload) const {
  return Judge(workload, IsAsked);
}

std::vector<Finding> Engine::EvaluateFixes(const workload::Workload& workload) const {
  return Judge(workload, CanFix);
}

std::vector<Finding> Engine::Judge(const workload::Workload& workload, Applies applies) const {
  std::vector<Finding> all;
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const workload::PodSet& pods = workload.pod_sets[i];
    std::vector<Finding> findings;
    // A selection without a choice is still judged, by what does not depend on the nodes.
    const workload::NodeChoice none;
    const auto choices = pods.nodes.choices.empty() ? std::span(&none, 1) : pods.nodes.choices;
    for (std::size_t j = 0; j < choices.size(); ++j) {
      const Shape shape = MakeShape(*catalog_, choices[j]);
      std::vector<Finding> judged =
          JudgeShape({workload, pods, *catalog_, cluster_, shape}, i, applies);
      if (j == 0) {
        findings = std::move(judged);
      } else {
        Intersect(findings, judged);
      }
    }
    std::move(findings.begin(), findings.end(), std::back_inserter(all));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Finding& a, const Finding& b) { return a.mode() > b.mode(); });
  return all;
}

}  // namespace tpu_admission::rules
