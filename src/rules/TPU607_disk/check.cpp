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
  return "use a storage class of type " + JoinOr(generation.disks.attach);
}

void CheckClass(const Subject& subject, std::string_view name, std::string pointer,
                std::string_view class_name, Report& report) {
  if (class_name.empty()) return;
  const tpu::StorageClass* known = subject.catalog.FindStorageClass(class_name);
  const tpu::Generation& generation = *subject.shape.generation;
  if (known == nullptr || CanAttach(generation.disks, known->disk)) return;
  report.Add({.pointer = std::move(pointer),
              .part = std::string(name),
              .summary = "volume " + Quoted(name) + " is a " + known->disk + ", which " +
                         generation.label + " nodes cannot attach",
              .problem = "is " + known->name + ", which makes a " + known->disk + " disk in GKE; " +
                         generation.label + " nodes attach only " +
                         JoinOr(generation.disks.attach) + ".",
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
               pointer + "/ephemeral/volumeClaimTemplate/spec/storageClassName",
               volume.storage_class, report);
  }
  if (volume.source != "gcePersistentDisk" || AttachesPersistentDisk(generation.disks)) return;
  report.Add(
      {.pointer = pointer + "/gcePersistentDisk",
       .part = std::string(volume.name),
       .summary = "volume " + Quoted(volume.name) + " is a Persistent Disk, which " +
                  generation.label + " nodes cannot attach",
       .problem = "names a Persistent Disk, but " + generation.label + " nodes attach only " +
                  JoinOr(generation.disks.attach) +
                  ". If the disk is one of these after all, this is no fault.",
       .change = "use a claim with a storage class of type " + JoinOr(generation.disks.attach)});
}

void Check(const Subject& subject, Report& report) {
  const workload::PodSet& pods = subject.pods;
  if (subject.shape.generation == nullptr || subject.shape.generation->disks.attach.empty()) return;
  const std::size_t volumes = pods.pod.spec.volumes.size();
  for (std::size_t i = 0; i < volumes; ++i) CheckVolume(subject, i, report);
  for (std::size_t i = 0; i < pods.claim_templates.size(); ++i) {
    std::string pointer = std::string(pods.scale.pointer) + "/volumeClaimTemplates";
    AppendPointerIndex(pointer, i);
    CheckClass(subject, pods.claim_templates[i].name, pointer + "/spec/storageClassName",
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
