#include "repair/plan.h"

#include <span>

#include "repair/phrases.h"

namespace tpu_admission::repair {

Repair MakeRepair(const workload::Workload& workload, const std::vector<Plan>& plans,
                  const std::vector<const Found*>& chosen, std::int64_t other_chips) {
  Repair repair;
  repair.chips_before = repair.chips_after = other_chips;
  repair.edits = chosen.back()->edits;
  repair.beside = chosen.back()->beside;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan& plan = plans[i];
    const Candidate& target = *chosen[i]->target;
    const std::string name = NameBefore(workload, *plan.written.pods);
    repair.what += (i == 0 ? "" : "; ") + name + What(plan.written, target);
    repair.chips_before += plan.written.total_chips;
    repair.chips_after += target.total_chips();
    const bool has_affinity = !plan.written.pods->pod.spec.required_affinity.empty();
    const std::string changes =
        Changes(std::span(chosen[i]->edits).subspan(chosen[i]->own), has_affinity);
    if (changes.empty()) continue;
    repair.changes +=
        (repair.changes.empty() ? "" : "; ") + (plans.size() > 1 ? name : "") + changes;
  }
  return repair;
}

}  // namespace tpu_admission::repair
