#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"

namespace tpu_admission::rules {
namespace tpu201 {

using workload::NodeLabel;

// The chips in all: those of the pods, or where nobody has said how many pods there are, the number
// that stands there. 0: nothing tells.
std::int64_t WishOf(const Subject& subject, std::string_view value) {
  const bool has_pods = subject.pods.use == workload::TpuUse::kChips;
  if (const std::int64_t wished = WishedChips(subject); wished > 0 && has_pods) return wished;
  const auto& all = subject.shape.generation->placements;
  const std::int64_t number = WholeNumber(value).value_or(0);
  return std::any_of(all.begin(), all.end(),
                     [&](const tpu::Placement& each) { return each.topology.chips() == number; })
             ? number
             : 0;
}

void Suggest(const Subject& subject, std::string_view value, Finding& finding) {
  const tpu::Generation* generation = subject.shape.generation;
  const std::optional<tpu::Topology> tidied = tpu::Tidied(value);
  if (tidied && (generation == nullptr || generation->Has(*tidied))) {
    finding.edits = Selecting(subject, NodeLabel::kTopology, tidied->Text());
  } else if (generation == nullptr) {
    finding.change = "write it as 4x4 or 2x2x4";
    finding.decision = "which topology is meant";
  } else if (const std::int64_t wish = WishOf(subject, value); wish > 0) {
    SuggestTopology(subject, wish, finding);
  } else {
    finding.change = fmt::format("set {} to one of {}", FieldOf(subject, NodeLabel::kTopology),
                                 Topologies(*generation));
    finding.decision = "which topology is meant";
  }
}

void Check(const Subject& subject, Report& report) {
  const workload::Selected& topology = subject.shape.choice[NodeLabel::kTopology];
  const bool is_one = subject.shape.topology && !subject.shape.topology_guessed;
  if (!topology.fixed() || is_one) return;
  const std::string value = Quoted(topology.value);
  Finding finding = {
      .pointer = subject.At(NodeLabel::kTopology),
      .summary = fmt::format("topology {} is malformed", value),
      .problem = fmt::format("is {}, which is no topology: two or three numbers of at "
                             "least 1, joined by a small x. {}",
                             value, NoSuchNode(subject))};
  Suggest(subject, topology.value, finding);
  const workload::Selected& label = subject.shape.choice[NodeLabel::kAccelerator];
  if (label.fixed() && subject.catalog.LooksLikeNewGeneration(label.value)) {
    finding.milder = Mode::kWarn;
  }
  report.Add(std::move(finding));
}

}  // namespace tpu201

const Rule kTPU201 = {
    .id = "TPU201",
    .name = "topology-malformed",
    .mode = Mode::kDeny,
    .check = tpu201::Check,
    .audience = kNodeSelectors | workload::TpuUse::kSelects,
};

}  // namespace tpu_admission::rules
