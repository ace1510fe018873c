#include <fmt/core.h>
#include <optional>
#include <string>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/choice_fields.h"

namespace tpu_admission::rules {
namespace tpu514 {

using tpu::Availability;
using workload::ClassPriority;

void Add(const Subject& subject, std::string_view field, std::string summary, std::string problem,
         std::string change, std::optional<Mode> milder, Report& report,
         workload::Edits edits = {}) {
  report.Add({.pointer = fmt::format("{}/{}", subject.pods.pointer, field),
              .summary = std::move(summary),
              .problem = std::move(problem),
              .edits = std::move(edits),
              .change = std::move(change),
              .decision = "which kind of capacity is meant",
              .milder = milder});
}

// Spot, flex-start and reservations are three ways to get a machine: one machine has one of them.
void CheckTogether(const Subject& subject, const ClassPriority& priority, Report& report) {
  const auto add = [&](std::string_view field, std::string_view other, std::string_view why) {
    Add(subject, field, fmt::format("{} and {} in one priority", field, other),
        fmt::format("stands beside {}, but {}: GKE can make no such node.", other, why),
        fmt::format("leave one of them out, or make two priorities of it"), std::nullopt, report);
  };
  if (priority.spot && priority.reserved()) {
    add("spot", "reservations", "a Spot VM never comes out of a reservation");
  }
  if (priority.flex_start && priority.reserved()) {
    add("flexStart", "reservations", "flex-start lends machines that nobody has reserved");
  }
  if (priority.flex_start && priority.spot) {
    add("flexStart", "spot", "a machine is lent for a time or until it is needed, not both");
  }
}

// A kind of capacity that the generation does not have. Lists of wishes are often written by one
// pattern for all generations: where GKE goes on to the next, that is only recorded.
void CheckOffered(const Subject& subject, std::string_view field, std::string_view name,
                  Availability availability, Report& report) {
  const tpu::Generation& generation = *subject.shape.generation;
  if (availability == Availability::kNo) {
    Add(subject, field, fmt::format("{} has no {}", generation.label, name),
        fmt::format("asks for {}, which {} does not have: GKE can make no such node.", name,
                    generation.label),
        fmt::format("leave {} out of this priority", field),
        subject.workload.pod_sets.size() > 1 ? std::optional(Mode::kAudit) : std::nullopt, report);
  } else if (availability == Availability::kAllowlist) {
    Add(subject, field, fmt::format("{} of {} needs an allowlist", name, generation.label),
        fmt::format("asks for {}, which {} has only for customers on an allowlist.", name,
                    generation.label),
        "ask Google to be put on it, if you are not", Mode::kAudit, report);
  }
}

// https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
void CheckReservation(const Subject& subject, const ClassPriority& priority, Report& report) {
  const std::string_view affinity = priority.reservation_affinity;
  if (affinity == "Specific" && !priority.names_reservation) {
    Add(subject, "reservations", "reservations.affinity is Specific, but names no reservation",
        "has affinity Specific, but nothing says which reservation is meant.",
        "add reservations.specific, or leave reservations out", std::nullopt, report);
  } else if (!affinity.empty() && affinity != "Specific" && !workload::IsPlaceholder(affinity)) {
    Add(subject, "reservations",
        fmt::format("TPUs come out of named reservations, not by {}", Quoted(affinity)),
        fmt::format("has affinity {}, but GKE takes TPUs only out of a reservation that is named.",
                    Quoted(affinity)),
        "set reservations.affinity to Specific and name it", std::nullopt, report);
  }
}

void CheckFamily(const Subject& subject, std::string_view family, Report& report) {
  const tpu::Generation& generation = *subject.shape.generation;
  if (family.empty() || family == generation.machine_family || workload::IsPlaceholder(family)) {
    return;
  }
  const std::string found = Quoted(family);
  Add(subject, "machineFamily",
      fmt::format("machineFamily {} has no {}, {} has", found, generation.label,
                  generation.machine_family),
      fmt::format("is {}, but machines with {} are of family {}: GKE can make no such node.", found,
                  generation.label, generation.machine_family),
      ", or leave it out", std::nullopt, report,
      {{fmt::format("{}/machineFamily", subject.pods.pointer), generation.machine_family}});
}

void Check(const Subject& subject, Report& report) {
  if (subject.pods.row->form != workload::Form::kTpuPriority) return;
  const ClassPriority priority = workload::ReadClassPriority(subject.pods);
  CheckTogether(subject, priority, report);
  CheckReservation(subject, priority, report);
  if (subject.shape.generation == nullptr) return;
  const tpu::Consumption& has = subject.shape.generation->consumption;
  if (priority.flex_start) CheckOffered(subject, "flexStart", "flex-start", has.flex_start, report);
  if (priority.spot) CheckOffered(subject, "spot", "Spot", has.spot, report);
  CheckFamily(subject, priority.machine_family, report);
}

}  // namespace tpu514

const Rule kTPU514 = {
    .id = "TPU514",
    .name = "class-priority",
    .mode = Mode::kWarn,
    .check = tpu514::Check,
    .audience = workload::TpuUses(workload::TpuUse::kChoice),
};

}  // namespace tpu_admission::rules
