#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu207 {

void Check(const Subject& subject, Report& report) {
  const std::optional<SliceCut> cut = CutOf(subject);
  if (!cut || cut->slice.rank() != cut->generation.dimensions || cut->FitsParent()) return;
  const std::string parent = cut->parent->Text();
  workload::Edits edits = CutAnew(*cut);
  const std::string words = edits.empty() ? SetSliceTopology(PartsOf(*cut)) + LevelToo(*cut) : "";
  report.Add(
      {.pointer = subject.AtAnnotation(workload::kGkeSliceTopology),
       .summary = fmt::format("{} slice does not fit into {}", WithArticle(cut->name()), parent),
       .problem = fmt::format("is {}, but the pods select nodes of {} slice, and a part is nowhere "
                              "longer than the whole.",
                              cut->name(), WithArticle(parent)),
       .edits = std::move(edits),
       .change = words + ", or select a larger topology",
       .decision = "which slice is meant",
       .milder = cut->generation.dynamic_slicing ? std::optional(Mode::kWarn) : std::nullopt});
}

}  // namespace tpu207

const Rule kTPU207 = {
    .id = "TPU207",
    .name = "slice-outside-topology",
    .mode = Mode::kDeny,
    .check = tpu207::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
