#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu107 {

using workload::NodeLabel;

// <topology>, and no mark of a template engine.
bool IsBlank(const workload::Selected& selected) {
  return selected.state == workload::Selected::State::kOpaque &&
         selected.value.find('<') != selected.value.npos &&
         selected.value.find_first_of("{$") == selected.value.npos;
}

// https://github.com/kubernetes-sigs/kueue/blob/main/pkg/webhooks/resourceflavor_webhook.go
std::string Consequence(const Subject& subject) {
  if (subject.pods.row->form == workload::Form::kNodeLabels) {
    return "Kueue refuses the ResourceFlavor at once.";
  }
  return fmt::format("the API server takes this {}, and then refuses what is made from it.",
                     subject.workload.kind->name);
}

void CheckNodePool(const Subject& subject, Report& report) {
  const auto pool = workload::FindRequired(subject.pods.pod.spec, workload::kGkeNodePool);
  if (!pool || !pool->Is("")) return;
  workload::Edits edits = Without(subject, *pool);
  report.Add({.pointer = subject.At(*pool),
              .summary = fmt::format("{} is empty", workload::kGkeNodePool),
              .problem = "is empty, and each node of GKE has the name of its node pool there: no "
                         "node matches, so the pod stays Pending.",
              .edits = std::move(edits),
              .change = ", or name the node pool",
              .decision = "which node pool is meant"});
}

void Check(const Subject& subject, Report& report) {
  CheckNodePool(subject, report);
  if (subject.workload.kind->is_built_in()) return;
  for (std::size_t i = 0; i < workload::kNodeLabels.size(); ++i) {
    const auto label = static_cast<NodeLabel>(i);
    const workload::Selected& selected = subject.shape.choice[label];
    if (!IsBlank(selected)) continue;
    const std::string value = Quoted(selected.value);
    report.Add({.pointer = subject.At(label),
                .summary = fmt::format("{} is still {}", FieldOf(subject, label), value),
                .problem = fmt::format("is still {}, a blank that somebody meant to fill in. No "
                                       "label has such a value: {}",
                                       value, Consequence(subject)),
                .change = "put the value in its place, without the brackets",
                .decision = "which value is meant"});
  }
}

}  // namespace tpu107

const Rule kTPU107 = {
    .id = "TPU107",
    .name = "selector-placeholder",
    .mode = Mode::kWarn,
    .check = tpu107::Check,
    .audience = kNodeSelectors | workload::TpuUse::kSelects,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
