#include "tpu_admission/rules/engine.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {
namespace {

using Rules = std::span<const Rule* const>;

bool IsAsked(const Rule& rule, const Subject& subject) {
  const bool is_audience = (rule.audience & workload::TpuUses(subject.pods.use)) != 0;
  return is_audience && (!rule.judges_counts || !subject.workload.has_known_parent);
}

// The hardest that may be said of the pod set, whatever a rule thinks.
Mode Cap(const Rule& rule, const Subject& subject) {
  if (subject.pods.is_patched) return Mode::kAudit;
  if (rule.is_gke_check && subject.pods.skips_checks) return Mode::kAudit;
  return subject.workload.kind->serves_others ? Mode::kWarn : Mode::kDeny;
}

void Ask(Rules rules, const Subject& subject, std::vector<Finding>& findings,
         Allowance& allowance) {
  const std::size_t first = findings.size();
  for (const Rule* rule : rules) {
    if (!IsAsked(*rule, subject)) continue;
    Report report(*rule, subject.pods, findings, allowance);
    rule->check(subject, report);
  }
  for (std::size_t i = first; i < findings.size(); ++i) {
    const Mode cap = Cap(*findings[i].rule, subject);
    if (findings[i].mode() > cap) findings[i].milder = cap;
  }
}

// What is found only because of a guess warns at most; what is found without it stays as it is.
void SoftenGuesses(Rules rules, const Subject& subject, std::span<Finding> findings) {
  const Shape shape = MakeShape(subject.catalog, subject.shape.choice, Misspelt::kUnknown);
  std::vector<Finding> sure;
  Allowance allowance{Engine::kMostBytes};  // they live no longer than this
  Ask(rules, {subject.workload, subject.pods, subject.catalog, subject.cluster, shape}, sure,
      allowance);
  for (Finding& finding : findings) {
    if (finding.rule->judges_label) continue;
    const auto same = std::find_if(sure.begin(), sure.end(), [&](const Finding& other) {
      return other.fault() == finding.fault();
    });
    const Mode cap = same != sure.end() ? same->mode() : Mode::kWarn;
    if (finding.mode() > cap) finding.milder = cap;
  }
}

// Appends the findings for one alternative.
void Find(Rules rules, const Subject& subject, std::vector<Finding>& findings,
          Allowance& allowance) {
  const std::size_t first = findings.size();
  Ask(rules, subject, findings, allowance);
  if (subject.shape.guessed || subject.shape.topology_guessed) {
    SoftenGuesses(rules, subject, std::span(findings).subspan(first));
  }
}

// Appends the fixes for one alternative.
void FindFixes(Rules rules, const Subject& subject, std::vector<RuleFix>& all) {
  std::vector<Fix> fixes;
  for (const Rule* rule : rules) {
    if (rule->fix == nullptr || !IsAsked(*rule, subject)) continue;
    fixes.clear();
    rule->fix(subject, fixes);
    for (Fix& fix : fixes) all.push_back({rule, std::move(fix)});
  }
}

// How a fault shows in the alternatives of one pod set.
struct Shared {
  std::size_t alternatives = 0;  // that have it
  std::size_t last = 0;          // of these
  Mode hardest_in_last = Mode::kOff;
  Mode mildest = Mode::kDeny;  // of the hardest in each
};

void Count(Shared& shared, std::size_t alternative, Mode mode) {
  if (shared.alternatives > 0 && shared.last == alternative) {
    shared.hardest_in_last = std::max(shared.hardest_in_last, mode);
    return;
  }
  if (shared.alternatives > 0) shared.mildest = std::min(shared.mildest, shared.hardest_in_last);
  shared = {shared.alternatives + 1, alternative, mode, shared.mildest};
}

// A fault that every alternative has is told once, in its mildest mode.
void Join(std::vector<std::vector<Finding>> alternatives, Evaluation& evaluation) {
  std::map<FaultId, Shared> faults;   // its keys view the findings, so these are not moved yet
  std::vector<const Shared*> shared;  // of each finding
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    for (const Finding& finding : alternatives[i]) {
      Shared& fault = faults[finding.fault()];
      Count(fault, i, finding.mode());
      shared.push_back(&fault);
    }
  }
  auto next = shared.begin();
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    for (Finding& finding : alternatives[i]) {
      const Shared& fault = **next++;
      const Mode mildest = std::min(fault.mildest, fault.hardest_in_last);
      if (fault.alternatives < alternatives.size()) {
        finding.alternative = i;
        evaluation.of_alternatives.push_back(std::move(finding));
      } else if (i == 0) {
        if (mildest < finding.mode()) finding.milder = mildest;
        evaluation.findings.push_back(std::move(finding));
      }
    }
  }
}

std::optional<std::int64_t> Smaller(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
}

// Makes `fix` what `other` allows too; false if nothing is left.
bool Narrow(AddRequests& fix, const AddRequests& other) {
  fix.cpu_millis = Smaller(fix.cpu_millis, other.cpu_millis);
  fix.memory_mib = Smaller(fix.memory_mib, other.memory_mib);
  return fix.cpu_millis || fix.memory_mib;
}
bool Narrow(AddToleration&, const AddToleration&) { return true; }
bool Narrow(SetDnsPolicy&, const SetDnsPolicy&) { return true; }
// Who a worker is does not depend on the node it gets, or is not known.
bool Narrow(AddVariables& fix, const AddVariables& other) {
  return fix.variables == other.variables;
}
bool Narrow(ReplaceVariable& fix, const ReplaceVariable& other) {
  return fix.variable == other.variable;
}
bool Narrow(KeepTogether& fix, const KeepTogether& other) { return fix.value == other.value; }
bool Narrow(SetHostname& fix, const SetHostname& other) { return fix.name == other.name; }
bool Narrow(SetSubdomain& fix, const SetSubdomain& other) { return fix.name == other.name; }

// What a fix is for, whatever it sets.
using FixKey = std::tuple<const Rule*, std::size_t, std::string_view, std::size_t, std::size_t>;
FixKey KeyOf(const RuleFix& fix) {
  const auto key = [&](std::string_view list, std::size_t index, std::size_t place = 0) {
    return FixKey{fix.rule, fix.fix.index(), list, index, place};
  };
  if (const auto* add = std::get_if<AddRequests>(&fix.fix)) return key(add->list, add->index);
  if (const auto* add = std::get_if<AddVariables>(&fix.fix)) return key(add->list, add->index);
  if (const auto* set = std::get_if<ReplaceVariable>(&fix.fix)) {
    return key(set->list, set->index, set->place);
  }
  return key({}, 0);
}

void Intersect(std::vector<RuleFix>& fixes, const std::vector<RuleFix>& others) {
  std::map<FixKey, const RuleFix*> known;
  for (const RuleFix& other : others) known.emplace(KeyOf(other), &other);
  std::erase_if(fixes, [&](RuleFix& mine) {
    const auto other = known.find(KeyOf(mine));
    if (other == known.end()) return true;
    return !std::visit(
        [&]<typename A>(A& fix) { return Narrow(fix, std::get<A>(other->second->fix)); }, mine.fix);
  });
}

// A selection without a choice is still judged, by what does not depend on the nodes.
std::span<const workload::NodeChoice> ChoicesOf(const workload::PodSet& pods) {
  static constexpr workload::NodeChoice kNone;
  return pods.nodes.choices.empty() ? std::span(&kNone, 1) : pods.nodes.choices;
}

// Appends to `items` what `find` finds in a pod set; where its node selection has alternatives,
// `merge` gets what is found in each.
template <typename Item, typename Find, typename Merge>
void LookAt(const Engine& engine, const workload::Workload& workload, const workload::PodSet& pods,
            Misspelt misspelt, Find find, std::vector<Item>& items, Merge merge) {
  const std::span<const workload::NodeChoice> choices = ChoicesOf(pods);
  // With a guess the rules are asked twice: not for each of many alternatives or pod sets.
  constexpr std::size_t kMostGuessed = 10;
  if (choices.size() > 1 || workload.pod_sets.size() > kMostGuessed) misspelt = Misspelt::kUnknown;
  const auto look = [&](const workload::NodeChoice& choice, std::vector<Item>& found) {
    const Shape shape = MakeShape(engine.catalog(), choice, misspelt);
    find(Subject{workload, pods, engine.catalog(), engine.cluster(), shape}, found);
  };
  if (choices.size() == 1) return look(choices.front(), items);
  std::vector<std::vector<Item>> alternatives(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) look(choices[i], alternatives[i]);
  merge(std::move(alternatives));
}

// Takes what other rules speak of out of what is told.
void SetAside(Evaluation& evaluation) {
  const auto is_told_by_another = [](const Finding& finding) { return finding.told_by_another; };
  std::vector<Finding>& findings = evaluation.findings;
  const auto first =
      std::stable_partition(findings.begin(), findings.end(), std::not_fn(is_told_by_another));
  evaluation.told_by_others.assign(std::move_iterator(first), std::move_iterator(findings.end()));
  findings.erase(first, findings.end());
  std::erase_if(evaluation.of_alternatives, is_told_by_another);
}

}  // namespace

Engine::Engine(std::shared_ptr<const tpu::Catalog> catalog, Cluster cluster, Rules rules)
    : catalog_(std::move(catalog)),
      cluster_(std::move(cluster)),
      rules_(rules.begin(), rules.end()) {}

Evaluation Engine::Evaluate(const workload::Workload& workload, std::size_t most_bytes) const {
  Evaluation evaluation;
  Allowance allowance{most_bytes};
  const auto find = [&](const Subject& subject, std::vector<Finding>& found) {
    Find(rules_, subject, found, allowance);
  };
  for (const workload::PodSet& pods : workload.pod_sets) {
    LookAt(*this, workload, pods, Misspelt::kGuessed, find, evaluation.findings,
           [&](auto alternatives) { Join(std::move(alternatives), evaluation); });
  }
  evaluation.is_cut = allowance.used_up;
  SetAside(evaluation);
  std::stable_sort(evaluation.findings.begin(), evaluation.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.mode() > b.mode(); });
  return evaluation;
}

std::vector<RuleFix> Engine::Fixes(const workload::Workload& workload, Rules rules) const {
  std::vector<RuleFix> all;
  all.reserve(rules.size());
  const auto find = [&](const Subject& subject, std::vector<RuleFix>& fixes) {
    FindFixes(rules, subject, fixes);
  };
  for (const workload::PodSet& pods : workload.pod_sets) {
    LookAt(*this, workload, pods, Misspelt::kUnknown, find, all, [&](auto alternatives) {
      std::vector<RuleFix>& common = alternatives.front();
      for (std::size_t i = 1; i < alternatives.size(); ++i) Intersect(common, alternatives[i]);
      all.insert(all.end(), common.begin(), common.end());
    });
  }
  return all;
}

std::string_view Engine::AcceleratorOf(const workload::PodSet& pods) const {
  const tpu::Generation* same = nullptr;
  for (const workload::NodeChoice& choice : pods.nodes.choices) {
    const tpu::Generation* generation = GenerationOf(*catalog_, choice);
    if (generation == nullptr || (same != nullptr && same != generation)) return {};
    same = generation;
  }
  return same == nullptr ? std::string_view() : std::string_view(same->label);
}

}  // namespace tpu_admission::rules
