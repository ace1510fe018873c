#include <fmt/core.h>
#include <algorithm>
#include <optional>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/pod_fields.h"

namespace tpu_admission::rules {
namespace tpu609 {

constexpr std::string_view kSharedMemory = "/dev/shm";
// vLLM wants more than 160 MB for the messages between its processes alone.
constexpr std::int64_t kLeastMib = 256;

void CheckContainer(const Subject& subject, const k8s::Container& container, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const std::string_view name = workload::VolumeMountedAt(spec, container, kSharedMemory);
  const auto volume =
      std::find_if(spec.volumes.begin(), spec.volumes.end(),
                   [&](const k8s::Volume& other) { return !name.empty() && other.name == name; });
  if (volume == spec.volumes.end()) return;
  const auto index = std::size_t(volume - spec.volumes.begin());
  const std::optional<k8s::Amount> limit = workload::MemorySizeLimit(spec, index);
  const std::string found = Printable(limit ? limit->text : std::string_view());
  const k8s::Quantity least = k8s::Quantity::FromMebibytes(kLeastMib);
  if (!limit || !limit->quantity || *limit->quantity >= least) return;
  const std::string pointer = subject.AtSpec("/volumes", index) + "/emptyDir/sizeLimit";
  report.Add(
      container,
      {.pointer = pointer,
       .summary = fmt::format("{} has {} of shared memory in /dev/shm", Title(container), found),
       .problem = fmt::format("lets /dev/shm of {} hold {}. Processes that share a host's "
                              "chips, and data loaders, hand each other data there, and end "
                              "with a bus error when it is full.",
                              Title(container), found),
       .edits = {{pointer, least.Text()}},
       .change = " or more, or leave it out"});
}

void Check(const Subject& subject, Report& report) {
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    if (container.Stays() && ChipsOf(container) > 0) CheckContainer(subject, container, report);
  }
}

}  // namespace tpu609

const Rule kTPU609 = {
    .id = "TPU609",
    .name = "shared-memory",
    .mode = Mode::kAudit,
    .check = tpu609::Check,
};

}  // namespace tpu_admission::rules
