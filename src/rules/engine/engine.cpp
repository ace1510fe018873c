#include "tpu_admission/rules/engine.h"

#include <algorithm>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {
namespace {

bool IsAsked(const Rule& rule, const Subject& subject) {
  const bool is_audience = (rule.audience & workload::TpuUses(subject.pods.use)) != 0;
  return is_audience && (!rule.judges_counts || !subject.workload.has_known_parent);
}

// The hardest that may be said of the pod set, whatever a rule thinks.
Mode Cap(const Subject& subject) {
  if (subject.pods.skips_checks) return Mode::kAudit;
  return subject.workload.kind->serves_others ? Mode::kWarn : Mode::kDeny;
}

// The findings for one alternative.
std::vector<Finding> Judge(const Subject& subject, std::size_t pod_set) {
  std::vector<Finding> findings;
  for (const Rule* rule : AllRules()) {
    if (!IsAsked(*rule, subject)) continue;
    Report report(*rule, pod_set, findings);
    rule->check(subject, report);
  }
  const Mode cap = Cap(subject);
  for (Finding& finding : findings) {
    if (finding.mode() > cap) finding.milder = cap;
  }
  return findings;
}

// The fixes for one alternative.
std::vector<RuleFix> Mend(const Subject& subject, std::size_t pod_set) {
  std::vector<RuleFix> all;
  std::vector<Fix> fixes;
  for (const Rule* rule : AllRules()) {
    if (rule->fix == nullptr || !IsAsked(*rule, subject)) continue;
    fixes.clear();
    rule->fix(subject, fixes);
    for (const Fix& fix : fixes) all.push_back({rule, pod_set, fix});
  }
  return all;
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

std::optional<std::int64_t> Smaller(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
}

// Makes `fix` what `other` allows too; false if nothing is left, or if it is another fix.
bool Narrow(AddRequests& fix, const AddRequests& other) {
  if (fix.list != other.list || fix.index != other.index) return false;
  fix.cpu_millis = Smaller(fix.cpu_millis, other.cpu_millis);
  fix.memory_mib = Smaller(fix.memory_mib, other.memory_mib);
  return fix.cpu_millis || fix.memory_mib;
}
bool Narrow(AddToleration&, const AddToleration&) { return true; }
bool Narrow(SetDnsPolicy&, const SetDnsPolicy&) { return true; }

void Intersect(std::vector<RuleFix>& fixes, const std::vector<RuleFix>& others) {
  std::erase_if(fixes, [&](RuleFix& mine) {
    return std::none_of(others.begin(), others.end(), [&](const RuleFix& other) {
      if (mine.rule != other.rule || mine.pod_set != other.pod_set) return false;
      return std::visit(
          [&]<typename A, typename B>(A& a, const B& b) {
            if constexpr (std::is_same_v<A, B>) return Narrow(a, b);
            return false;
          },
          mine.fix, other.fix);
    });
  });
}

// What `judge` says of each pod set, as far as it says so of all alternatives of the set.
template <typename Item>
std::vector<Item> OfAllAlternatives(const Engine& engine, const workload::Workload& workload,
                                    std::vector<Item> (*judge)(const Subject&, std::size_t)) {
  std::vector<Item> all;
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const workload::PodSet& pods = workload.pod_sets[i];
    // A selection without a choice is still judged, by what does not depend on the nodes.
    const workload::NodeChoice none;
    const auto choices = pods.nodes.choices.empty() ? std::span(&none, 1) : pods.nodes.choices;
    std::vector<Item> items;
    for (std::size_t j = 0; j < choices.size(); ++j) {
      const Shape shape = MakeShape(engine.catalog(), choices[j]);
      std::vector<Item> judged =
          judge({workload, pods, engine.catalog(), engine.cluster(), shape}, i);
      if (j == 0) {
        items = std::move(judged);
      } else {
        Intersect(items, judged);
      }
    }
    std::move(items.begin(), items.end(), std::back_inserter(all));
  }
  return all;
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
  std::vector<Finding> all = OfAllAlternatives(*this, workload, Judge);
  std::stable_sort(all.begin(), all.end(),
                   [](const Finding& a, const Finding& b) { return a.mode() > b.mode(); });
  return all;
}

std::vector<RuleFix> Engine::Fixes(const workload::Workload& workload) const {
  return OfAllAlternatives(*this, workload, Mend);
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
