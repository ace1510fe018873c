#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu513 {

struct Known {
  std::string_view key;
  std::string_view value;  // as GKE writes it
  bool only = false;       // there is no other
};
constexpr std::array<Known, 7> kKnown = {{
    {workload::kGkeSpot, "true", true},
    {workload::kGkePreemptible, "true", true},
    {workload::kGkeProvisioning, "spot"},
    {workload::kGkeProvisioning, "standard"},
    {workload::kGkeProvisioning, "preemptible"},
    {workload::kGkeProvisioning, "flex-start"},
    {workload::kGkeWorkloadType, "HIGH_AVAILABILITY"},
}};

// The same but for capitals, "-" and "_".
bool IsMeant(std::string_view written, std::string_view value) {
  const auto plain = [](char c) { return c == '_' ? '-' : Lower(c); };
  return std::equal(written.begin(), written.end(), value.begin(), value.end(),
                    [&](char a, char b) { return plain(a) == plain(b); });
}

void Check(const Subject& subject, Report& report) {
  for (const Known& known : kKnown) {
    const auto label = workload::FindRequired(subject.pods.pod.spec, known.key);
    if (!label || !label->fixed || label->value == known.value) continue;
    if (!known.only && !IsMeant(label->value, known.value)) continue;
    const std::string value = Quoted(label->value);
    // Whoever wrote "false" does not want such nodes: those that are no such lack the label.
    const bool unwanted = known.only && IsMeant(label->value, "false");
    workload::Edits edits =
        unwanted ? Without(subject, *label) : Selecting(subject, *label, std::string(known.value));
    const std::string words = edits.empty() ? "leave it out of the affinity" : "";
    report.Add({.pointer = subject.At(*label),
                .part = std::string(known.key),
                .summary = fmt::format("no node has {} {}", known.key, value),
                .problem = fmt::format("is {}, but nodes have {} there{}. Label values are "
                                       "compared letter by letter.",
                                       value, Quoted(known.value),
                                       known.only ? ", or lack the label" : ""),
                .edits = std::move(edits),
                .change = known.only && !unwanted ? ", or leave it out" : words,
                .decision = "which nodes the affinity is to name"});
  }
}

}  // namespace tpu513

const Rule kTPU513 = {
    .id = "TPU513",
    .name = "capacity-label",
    .mode = Mode::kWarn,
    .check = tpu513::Check,
    .audience = kNodeSelectors | workload::TpuUse::kSelects,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
