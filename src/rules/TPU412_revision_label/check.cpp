#include <fmt/core.h>

#include "rules/engine/host_names.h"

namespace tpu_admission::rules {
namespace tpu412 {

void Check(const Subject& subject, Report& report) {
  const std::optional<std::size_t> longest = LongestNameBeforeRevision(subject);
  if (!longest) return;
  const std::size_t most = *longest;
  const std::string_view name = subject.workload.metadata.name;
  const bool first = &subject.pods == &subject.workload.pod_sets[0];
  if (!first || name.size() <= most || workload::IsPlaceholder(name)) return;
  report.Add(
      {.pointer = "/metadata/name",
       .summary = fmt::format("the name has {} characters, pods of a {} need at most {}",
                              name.size(), subject.workload.kind->name, most),
       .problem = fmt::format(
           "has {} characters, but the label controller-revision-hash of the pods is made of "
           "it and up to {} more, and a label value has at most {}: the pods are not created.",
           name.size(), kLongestLabel - most, kLongestLabel),
       .change = fmt::format("use a name of at most {} characters", most),
       .decision = "which name it is to have"});
}

}  // namespace tpu412

const Rule kTPU412 = {
    .id = "TPU412",
    .name = "revision-label",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu412::Check,
    .is_about_names = true,
};

}  // namespace tpu_admission::rules
