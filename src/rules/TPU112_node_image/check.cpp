#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu112 {

constexpr std::array<std::string_view, 2> kArchitectures = {workload::kArchLabel,
                                                            workload::kBetaArchLabel};

void Say(const Subject& subject, const workload::RequiredLabel& found, const std::string& truth,
         const std::string& value, Report& report) {
  const std::string quoted = Quoted(found.value);
  report.Add(
      {.pointer = subject.At(found),
       .summary = fmt::format("no TPU node has {} {}", found.key, quoted),
       .problem = fmt::format(
           "is {}, but {}. The pod would wait for a node that GKE does not make.", quoted, truth),
       .edits = Selecting(subject, found, value),
       .change = ", or remove it"});
}

void CheckImage(const Subject& subject, Report& report) {
  const auto image = workload::FindRequired(subject.pods.pod.spec, workload::kGkeImage);
  if (!image || !image->fixed) return;
  const auto& unsupported = subject.catalog.node_limits().unsupported_images;
  if (std::find(unsupported.begin(), unsupported.end(), image->value) == unsupported.end()) return;
  Say(subject, *image,
      "TPU nodes run Container-Optimized OS only (Canonical's images for TPUs are for VMs of Cloud "
      "TPU)",
      "cos", report);
}

void CheckOs(const Subject& subject, Report& report) {
  const std::string& right = subject.catalog.node_limits().os;
  const auto os = workload::FindRequired(subject.pods.pod.spec, workload::kOsLabel);
  if (!os || !os->fixed || right.empty() || os->value == right) return;
  Say(subject, *os, fmt::format("TPU nodes run {}", right), right, report);
}

// Hosts of a generation to come may have other processors.
void CheckArchitecture(const Subject& subject, Report& report) {
  const std::string& right = subject.catalog.node_limits().arch;
  if (subject.shape.generation == nullptr || right.empty()) return;
  for (const std::string_view key : kArchitectures) {
    const auto arch = workload::FindRequired(subject.pods.pod.spec, key);
    if (!arch || !arch->fixed || arch->value == right) continue;
    Say(subject, *arch,
        fmt::format("the hosts of {} are {}", subject.shape.generation->name, right), right,
        report);
  }
}

void Check(const Subject& subject, Report& report) {
  CheckImage(subject, report);
  CheckOs(subject, report);
  CheckArchitecture(subject, report);
}

}  // namespace tpu112

const Rule kTPU112 = {
    .id = "TPU112",
    .name = "node-image",
    .mode = Mode::kWarn,
    .check = tpu112::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kSelects,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
