#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu705 {

void Check(const Subject& subject, Report& report) {
  if (!subject.pods.pod.spec.UsesHostNetwork()) return;
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || slice->pods <= slice->hosts) return;
  const std::string on_each = Counted(slice->pods / slice->hosts, "pod");
  report.Add({.pointer = subject.AtSpec("/hostNetwork"),
              .summary = fmt::format("hostNetwork, and {} share each host", on_each),
              .problem = fmt::format("is true, but with {} each, {} share a host, and each listens "
                                     "on the same ports of it for its fellow workers.",
                                     Counted(subject.pods.chips_per_pod, "chip"), on_each),
              .change = "leave hostNetwork out, or let each pod take all chips of its host",
              .decision = "whether the pods are to share a host"});
}

}  // namespace tpu705

const Rule kTPU705 = {
    .id = "TPU705",
    .name = "shared-host-ports",
    .mode = Mode::kAudit,
    .check = tpu705::Check,
};

}  // namespace tpu_admission::rules
