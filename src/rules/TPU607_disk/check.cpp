#include <fmt/core.h>
#include <algorithm>
#include <vector>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/companions.h"
#include "tpu_admission/workload/pod_fields.h"

namespace tpu_admission::rules {
namespace tpu607 {

// The class that a claim gets where it names none; a cluster may have set another.
// https://cloud.google.com/kubernetes-engine/docs/concepts/persistent-volumes#storageclasses
constexpr std::string_view kDefaultClass = "standard-rwo";

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

// "pd-balanced (or pd-ssd)"
std::string Types(const tpu::Disks& disks) {
  const std::vector<std::string> others(disks.attach.begin() + 1, disks.attach.end());
  return disks.attach.front() + (others.empty() ? "" : " (or " + JoinOr(others) + ")");
}

std::string Change(const tpu::Generation& generation) {
  return fmt::format("use a storage class of type {}", Types(generation.disks));
}

void CheckClass(const Subject& subject, std::string_view name, std::string pointer,
                std::string_view class_name, Report& report) {
  const bool named = !class_name.empty();
  if (!named) class_name = kDefaultClass;
  const tpu::StorageClass* known = subject.catalog.FindStorageClass(class_name);
  const tpu::Generation& generation = *subject.shape.generation;
  if (known == nullptr || CanAttach(generation.disks, known->disk)) return;
  report.Add({.pointer = std::move(pointer),
              .part = std::string(name),
              .summary = fmt::format("{} nodes cannot attach volume {}, a {}", generation.label,
                                     Quoted(name), known->disk),
              .problem = fmt::format(
                  "is {}, which makes a {} disk in GKE; {} nodes attach only {}.{}",
                  named ? known->name
                        : fmt::format("not set, so the claim gets {} unless the cluster has "
                                      "another default",
                                      known->name),
                  known->disk, generation.label, JoinOr(generation.disks.attach),
                  Remark(generation.disks.note)),
              .change = Change(generation),
              .decision = "which storage class makes such a disk",
              .milder = named ? std::nullopt : std::optional(Mode::kAudit)});
}

// A disk that is written to is attached to one node at a time.
void CheckShared(const Subject& subject, std::size_t index, const std::string& pointer,
                 Report& report) {
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || !slice->multi_host()) return;
  if (workload::IsReadOnlyDisk(subject.pods.pod.spec, index)) return;
  const std::string_view name = subject.pods.pod.spec.volumes[index].name;
  report.Add({.pointer = pointer + "/gcePersistentDisk/readOnly",
              .part = fmt::format("{}/readOnly", name),
              .summary = fmt::format("disk {} is to be written to on {}, but goes to one at a time",
                                     Quoted(name), Counted(slice->hosts, "host")),
              .problem = fmt::format("is not true, so the disk can be attached to one node at a "
                                     "time: on the other {} of {} the pods wait for it.",
                                     Counted(slice->hosts - 1, "host"), slice->topology.Text()),
              .change = "set readOnly to true, or use Cloud Storage or Filestore",
              .decision = "how the hosts are to share the data"});
}

// A claim of the same file. Where it names no class of GKE's own, or names its volume, the volume
// may be a file server, which many nodes reach whatever the claim says.
void CheckClaim(const Subject& subject, std::size_t index, Report& report) {
  if (subject.workload.companions == nullptr) return;
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const std::string_view name = workload::WrittenClaimOf(spec, index);
  const workload::VolumeClaim* claim =
      subject.workload.companions->FindClaim(subject.workload.metadata.namespace_name, name);
  if (claim == nullptr) return;
  std::string pointer = subject.AtSpec("/volumes");
  AppendPointerIndex(pointer, index);
  pointer += "/persistentVolumeClaim/claimName";
  if (!claim->is_bound) {
    CheckClass(subject, spec.volumes[index].name, pointer, claim->storage_class, report);
  }
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!claim->one_node || !slice || !slice->multi_host()) return;
  const bool is_disk = !claim->is_bound && (claim->storage_class.empty() ||
                                            subject.catalog.FindStorageClass(claim->storage_class));
  report.Add({.pointer = std::move(pointer),
              .part = fmt::format("{}/accessModes", spec.volumes[index].name),
              .summary = fmt::format("claim {} is for one node, but {} mount it", Quoted(name),
                                     Counted(slice->hosts, "host")),
              .problem = fmt::format("is {}, a claim of this file whose access modes are for one "
                                     "node at a time: on the other {} of {} the pods wait for it.",
                                     Quoted(name), Counted(slice->hosts - 1, "host"),
                                     slice->topology.Text()),
              .change = "claim ReadOnlyMany or ReadWriteMany",
              .decision = "how the hosts are to share the data",
              .milder = is_disk ? std::nullopt : std::optional(Mode::kAudit)});
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
  if (volume.source == "persistentVolumeClaim") CheckClaim(subject, index, report);
  if (volume.source != "gcePersistentDisk") return;
  CheckShared(subject, index, pointer, report);
  if (AttachesPersistentDisk(generation.disks)) return;
  report.Add({.pointer = fmt::format("{}/gcePersistentDisk", pointer),
              .part = std::string(volume.name),
              .summary = fmt::format("{} nodes cannot attach volume {}, a Persistent Disk",
                                     generation.label, Quoted(volume.name)),
              .problem = fmt::format(
                  "names a Persistent Disk, but {} nodes attach only {}. If the disk is "
                  "one of these after all, this is no fault.{}",
                  generation.label, JoinOr(generation.disks.attach), Remark(generation.disks.note)),
              .change = fmt::format("use a claim with a class of type {}", Types(generation.disks)),
              .decision = "which disk is meant"});
}

void Check(const Subject& subject, Report& report) {
  const workload::PodSet& pods = subject.pods;
  if (subject.shape.generation == nullptr || subject.shape.generation->disks.attach.empty()) return;
  const std::size_t volumes = pods.pod.spec.volumes.size();
  for (std::size_t i = 0; i < volumes && !report.full(); ++i) CheckVolume(subject, i, report);
  for (std::size_t i = 0; i < pods.claim_templates.size(); ++i) {
    std::string pointer = fmt::format("{}/volumeClaimTemplates", pods.scale.pointer);
    AppendPointerIndex(pointer, i);
    CheckClass(subject, pods.claim_templates[i].name,
               fmt::format("{}/spec/storageClassName", pointer),
               pods.claim_templates[i].storage_class, report);
  }
}

}  // namespace tpu607

const Rule kTPU607 = {
    .id = "TPU607",
    .name = "disk",
    .mode = Mode::kWarn,
    .check = tpu607::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
