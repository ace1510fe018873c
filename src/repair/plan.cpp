#include "repair/plan.h"

#include "repair/phrases.h"

namespace tpu_admission::repair {

Repair MakeRepair(const workload::Workload& workload, const std::vector<Plan>& plans,
                  const std::vector<const Found*>& chosen, std::int64_t other_chips) {
  Repair repair;
  repair.chips_before = repair.chips_after = other_chips;
  repair.edits = chosen.back()->edits;
  repair.beside = chosen.back()->beside;
  bool has_affinity = false;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan& plan = plans[i];
    const Candidate& target = *chosen[i]->target;
    repair.what += (i == 0 ? "" : "; ") + NameBefore(workload, *plan.written.pods) +
                   What(plan.written, target);
    const std::int64_t copies = plan.written.pods->scale.copies_or_one();
    repair.chips_before += plan.written.total_chips * copies;
    repair.chips_after += target.total_chips() * copies;
    has_affinity = has_affinity || !plan.written.pods->pod.spec.required_affinity.empty();
  }
  // What is changed for one set may stand in another.
  repair.changes = ChangesBySet(workload, repair.edits, has_affinity);
  return repair;
}

}  // namespace tpu_admission::repair
