#include <fmt/core.h>
#include <algorithm>
#include <vector>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

bool Has(const std::vector<std::string>& disks, std::string_view disk) {
  return std::find(disks.begin(), disks.end(), disk) != disks.end();
}

bool CanAttach(const tpu::Disks& disks, std::string_view disk) {
  return Has(disks.attach, disk) || Has(disks.attach_confidential, disk);
}

bool AttachesPersistentDisk(const tpu::Disks& disks) {
  return std::any_of(disks.attach.begin(), disks.attach.end(),
                     [](const std::string& disk) { return disk.starts_with("pd-"); });
}

std::string Change(const tpu::Generation& generation) {
  return fmt::format("use a storage class of type {}", JoinOr(generation.disks.attach));
}

void CheckClass(const Subject& subject, std::string_view name, std::string pointer,
                std::string_view class_name, Report& report) {
  if (class_name.empty()) return;
  const tpu::StorageClass* known = subject.catalog.FindStorageClass(class_name);
  const tpu::Generation& generation = *subject.shape.generation;
  if (known == nullptr || CanAttach(generation.disks, known->disk)) return;
  report.Add({.pointer = std::move(pointer),
              .part = std::string(name),
              .summary = fmt::format("volume {} is a {}, which {} nodes cannot attach",
                                     Quoted(name), known->disk, generation.label),
              .problem = fmt::format(
                  "is {}, which makes a {} disk in GKE; {} nodes attach only {}.", known->name,
                  known->disk, generation.label, JoinOr(generation.disks.attach)),
              .change = Change(generation)});
}

void CheckVolume(const Subject& subject, std::size_t index, Report& report) {
  const k8s::Volume& volume = subject.pods.pod.spec.volumes[index];
  const tpu::Generation& generation = *subject.shape.generation;
  std::string pointer;
  if (volume.source == "ephemeral" || volume.source == "gcePersistentDisk") {
    pointer = subject.AtSpec("/volumes");
    AppendPointerIndex(pointer, index);
  }
  if (volume.source == "ephemeral") {
    CheckClass(subject, volume.name,
               fmt::format("{}/ephemeral/volumeClaimTemplate/spec/storageClassName", pointer),
               volume.storage_class, report);
  }
  if (volume.source != "gcePersistentDisk" || AttachesPersistentDisk(generation.disks)) return;
  report.Add({.pointer = fmt::format("{}/gcePersistentDisk", pointer),
              .part = std::string(volume.name),
              .summary = fmt::format("volume {} is a Persistent Disk, which {} nodes cannot attach",
                                     Quoted(volume.name), generation.label),
              .problem = fmt::format("names a Persistent Disk, but {} nodes attach only {}. If the "
                                     "disk is one of these after all, this is no fault.",
                                     generation.label, JoinOr(generation.disks.attach)),
              .change = fmt::format("use a claim with a storage class of type {}",
                                    JoinOr(generation.disks.attach))});
}

void Check(const Subject& subject, Report& report) {
  const workload::PodSet& pods = subject.pods;
  if (subject.shape.generation == nullptr || subject.shape.generation->disks.attach.empty()) return;
  const std::size_t volumes = pods.pod.spec.volumes.size();
  for (std::size_t i = 0; i < volumes; ++i) CheckVolume(subject, i, report);
  for (std::size_t i = 0; i < pods.claim_templates.size(); ++i) {
    std::string pointer = fmt::format("{}/volumeClaimTemplates", pods.scale.pointer);
    AppendPointerIndex(pointer, i);
    CheckClass(subject, pods.claim_templates[i].name,
               fmt::format("{}/spec/storageClassName", pointer),
               pods.claim_templates[i].storage_class, report);
  }
}

}  // namespace

const Rule kTPU607 = {
    .id = "TPU607",
    .name = "disk",
    .mode = Mode::kWarn,
    .check = Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
