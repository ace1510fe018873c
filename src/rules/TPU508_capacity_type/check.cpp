#include <fmt/core.h>
#include <array>
#include <optional>
#include <vector>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu508 {

using tpu::Availability;
using tpu::Consumption;

// A label by which pods ask for a kind of capacity.
struct Kind {
  std::string_view key;
  std::string_view value;  // empty: any
  std::string_view name;
  Availability Consumption::*availability;
};
constexpr std::array<Kind, 9> kKinds = {
    {{workload::kGkeSpot, "true", "Spot", &Consumption::spot},
     {workload::kGkePreemptible, "true", "preemptible VMs", &Consumption::spot},
     {workload::kGkeFlexStart, "true", "flex-start", &Consumption::flex_start},
     {workload::kGkeProvisioning, "spot", "Spot", &Consumption::spot},
     {workload::kGkeProvisioning, "preemptible", "preemptible VMs", &Consumption::spot},
     {workload::kGkeProvisioning, "flex-start", "flex-start", &Consumption::flex_start},
     {workload::kGkeQueued, "true", "queued provisioning", &Consumption::queued_provisioning},
     {workload::kGkeNodePoolGroup, "", "collection scheduling", &Consumption::collections},
     {workload::kGkeWorkloadType, "", "collection scheduling", &Consumption::collections}}};

// The labels of the generations that have it: "tpu-v6e-slice or tpu-v5p-slice".
std::string WhoHas(const tpu::Catalog& catalog, const Kind& kind) {
  std::vector<std::string> labels;
  for (const tpu::Generation& generation : catalog.generations()) {
    if (generation.consumption.*kind.availability == Availability::kYes) {
      labels.push_back(generation.label);
    }
  }
  return JoinOr(labels);
}

// Nobody says so of collections, but the page that offers them names the generations that have
// them.
bool IsRefused(const Kind& kind, Availability availability) {
  const bool listed = kind.availability == &Consumption::collections;
  return availability == Availability::kNo || (listed && availability == Availability::kUnknown);
}

void CheckKind(const Subject& subject, const Kind& kind, Report& report) {
  const tpu::Generation& generation = *subject.shape.generation;
  const Availability availability = generation.consumption.*kind.availability;
  const bool refused = IsRefused(kind, availability);
  if (!refused && availability != Availability::kAllowlist) return;
  const auto label = workload::FindRequired(subject.pods.pod.spec, kind.key);
  if (!label || !label->fixed || (!kind.value.empty() && label->value != kind.value)) return;
  const std::string name(kind.name);
  const std::string has =
      refused ? fmt::format("{} does not have", generation.label)
              : fmt::format("{} has only for customers on an allowlist", generation.label);
  report.Add(
      {.pointer = subject.At(*label),
       .summary = refused ? fmt::format("{} has no {}", generation.label, name)
                          : fmt::format("{} of {} needs an allowlist", name, generation.label),
       .problem = fmt::format("asks for {}, which {}.", name, has),
       .change = refused
                     ? fmt::format("leave the label out, or use {}", WhoHas(subject.catalog, kind))
                     : "ask Google to be put on it, if you are not",
       .decision = "which kind of capacity is meant",
       .milder = refused ? std::nullopt : std::optional(Mode::kAudit)});
}

void Check(const Subject& subject, Report& report) {
  if (subject.shape.generation == nullptr) return;
  for (const Kind& kind : kKinds) CheckKind(subject, kind, report);
}

}  // namespace tpu508

const Rule kTPU508 = {
    .id = "TPU508",
    .name = "capacity-type",
    .mode = Mode::kWarn,
    .check = tpu508::Check,
    .audience = kNodeSelectors,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
