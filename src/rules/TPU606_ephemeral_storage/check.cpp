#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu606 {

constexpr std::string_view kEphemeral = "ephemeral-storage";
// What can lead to a node with another disk.
constexpr std::array<std::string_view, 4> kOtherDisk = {
    workload::kGkeBootDiskSize, workload::kGkeLocalSsd, workload::kGkeNodePool,
    workload::kGkeComputeClass};

bool SelectsOtherDisk(const k8s::PodSpec& spec) {
  return std::any_of(kOtherDisk.begin(), kOtherDisk.end(), [&](std::string_view key) {
    return workload::FindRequired(spec, key).has_value();
  });
}

// What GKE leaves to pods of a boot disk: less the tenth below which pods are evicted, and less a
// reserve, the least of half of it, 6 GiB and 35 %, and 100 GiB.
// https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes#local_ephemeral_storage_reservation
k8s::Quantity LeftOfDisk(std::int64_t disk_gib) {
  const std::int64_t reserve = std::min({disk_gib / 2, 6 + disk_gib * 35 / 100, std::int64_t{100}});
  return k8s::Quantity::FromMebibytes((disk_gib - disk_gib / 10 - reserve) * 1024);
}

void CheckRequests(const Subject& subject, std::int64_t disk_gib, Report& report) {
  const k8s::Quantity disk = k8s::Quantity::FromMebibytes(disk_gib * 1024);
  const k8s::Quantity left = LeftOfDisk(disk_gib);
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const k8s::Quantity asked = EffectiveRequest(spec, kEphemeral);
  if (asked <= left || SelectsOtherDisk(spec)) return;
  const k8s::Container* asker = LargestAsker(spec, kEphemeral);
  if (asker == nullptr) return;
  report.Add(*asker,
             {.pointer = subject.At(*asker, asker->requests.Has(kEphemeral) ? "requests" : "limits",
                                    kEphemeral),
              .summary = fmt::format("pod asks for {} ephemeral storage, a TPU node has about {}",
                                     asked.Text(), left.Text()),
              .problem = fmt::format(
                  "brings the pod to {} of ephemeral storage, but the boot disk of a TPU node has "
                  "{} if the node pool sets nothing else, of which the system leaves about {}.",
                  asked.Text(), disk.Text(), left.Text()),
              .change = fmt::format("ask for at most {}, or select nodes with a larger boot disk",
                                    left.Text()),
              .decision = "how much storage the program needs"});
}

void CheckVolume(const Subject& subject, std::size_t index, std::int64_t disk_gib, Report& report) {
  const k8s::Quantity disk = k8s::Quantity::FromMebibytes(disk_gib * 1024);
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const k8s::Volume& volume = spec.volumes[index];
  const std::optional<k8s::Amount> limit = volume.DiskSizeLimit();
  if (!limit || !limit->quantity || *limit->quantity <= disk || SelectsOtherDisk(spec)) return;
  report.Add({.pointer = subject.AtSpec("/volumes", index) + "/emptyDir/sizeLimit",
              .part = std::string(volume.name),
              .summary = fmt::format("emptyDir {} may grow to {}, a TPU node has {}",
                                     Quoted(volume.name), limit->quantity->Text(), disk.Text()),
              .problem = fmt::format("is {}, but the boot disk of a TPU node, on which an emptyDir "
                                     "lies, has {} if the node pool sets nothing else.",
                                     limit->quantity->Text(), disk.Text()),
              .change = fmt::format("set it to at most {}, which the system leaves, or use medium: "
                                    "Memory or a volume of its own",
                                    LeftOfDisk(disk_gib).Text()),
              .decision = "how much storage the program needs",
              .milder = Mode::kAudit});
}

void Check(const Subject& subject, Report& report) {
  const std::int64_t disk_gib = subject.catalog.node_limits().boot_disk_gib;
  CheckRequests(subject, disk_gib, report);
  const std::size_t volumes = subject.pods.pod.spec.volumes.size();
  for (std::size_t i = 0; i < volumes && !report.full(); ++i)
    CheckVolume(subject, i, disk_gib, report);
}

}  // namespace tpu606

const Rule kTPU606 = {
    .id = "TPU606",
    .name = "ephemeral-storage",
    .mode = Mode::kWarn,
    .check = tpu606::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
