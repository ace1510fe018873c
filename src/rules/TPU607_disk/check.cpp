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

// "pd-balanced (or pd-ssd)": those that no source disputes.
std::string Types(const tpu::Disks& disks) {
  std::vector<std::string> types = disks.attach;
  std::erase_if(types, [&](const std::string& disk) { return Has(disks.disputed, disk); });
  if (types.empty()) types = disks.attach;
  const std::vector<std::string> others(types.begin() + 1, types.end());
  return types.front() + (others.empty() ? "" : " (or " + JoinOr(others) + ")");
}

std::string Change(const tpu::Generation& generation) {
  return fmt::format("use a storage class of type {}", Types(generation.disks));
}

// The class of that name in the same file.
const workload::StorageClass* ClassHere(const Subject& subject, std::string_view name) {
  const workload::Companions* companions = subject.workload.companions;
  return companions == nullptr ? nullptr : companions->FindClass(name);
}

// The disk that a class makes: one of the same file, or one that each cluster of GKE's has. Empty:
// nobody knows. Of the disks of a file's own class only those of known kinds are judged.
std::string_view DiskOf(const Subject& subject, std::string_view class_name) {
  if (const workload::StorageClass* here = ClassHere(subject, class_name)) {
    return here->disk.starts_with("pd-") ? std::string_view(here->disk) : std::string_view();
  }
  const tpu::StorageClass* known = subject.catalog.FindStorageClass(class_name);
  return known == nullptr ? std::string_view() : std::string_view(known->disk);
}

// "is standard-rwo"; `is "data", a claim of this file with the class standard-rwo`
std::string ClassOf(std::string_view claim, std::string_view class_name, bool named) {
  const std::string of_claim =
      claim.empty() ? "" : fmt::format("is {}, a claim of this file ", Quoted(claim));
  if (named) {
    return claim.empty() ? fmt::format("is {}", class_name)
                         : fmt::format("{}with the class {}", of_claim, class_name);
  }
  return fmt::format(
      "{} {} unless the cluster has another default",
      claim.empty() ? "is not set, so the claim gets" : of_claim + "without a class, so it gets",
      class_name);
}

// `claim`: whose class it is, where the field names a claim that stands elsewhere in the file.
void CheckClass(const Subject& subject, std::string_view name, std::string pointer,
                std::string_view class_name, Report& report, std::string_view claim = {}) {
  const bool named = !class_name.empty();
  if (!named) class_name = kDefaultClass;
  const std::string_view disk = DiskOf(subject, class_name);
  const tpu::Generation& generation = *subject.shape.generation;
  if (disk.empty() || CanAttach(generation.disks, disk)) return;
  report.Add({.pointer = std::move(pointer),
              .part = std::string(name),
              .summary = fmt::format("{} nodes cannot attach {}, a {} disk", generation.label,
                                     Quoted(name), disk),
              .problem = fmt::format("{}, which makes a {} disk{}; {} nodes attach only {}.{}",
                                     ClassOf(claim, class_name, named), disk,
                                     ClassHere(subject, class_name) == nullptr ? " in GKE" : "",
                                     generation.label, JoinOr(generation.disks.attach),
                                     Remark(generation.disks.note)),
              .change = Change(generation),
              .decision = "which storage class makes such a disk",
              .milder = named ? std::nullopt : std::optional(Mode::kAudit)});
}

// The hosts that the pods of the template run on at once, and whether their number is known;
// nothing if they all are on one.
struct Hosts {
  std::int64_t count = 0;
  bool known = false;
};
std::optional<Hosts> HostsOf(const Subject& subject) {
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice || subject.is_pod() || subject.pods.row->leads) return {};
  const std::int64_t copies = subject.pods.scale.copies_or_one();
  const std::int64_t pods = copies > 1 && !slice->multi_host() ? copies : subject.OwnPods();
  const bool is_one = pods == 1 || subject.pods.scale.has_no_slices();
  if (is_one) return std::nullopt;
  if (!slice->multi_host()) {
    const bool each_has_its_own = slice->pods == 1 && pods > 1;
    return each_has_its_own ? std::optional(Hosts{pods, true}) : std::nullopt;
  }
  if (subject.pods.row->on_each_node) return Hosts{slice->hosts, true};
  // Where pods share a host, it is plain only of those that fill a slice.
  const bool takes_host = slice->pods == slice->hosts;
  return Hosts{takes_host && pods > 1 ? pods : slice->hosts,
               pods > 1 && (takes_host || pods >= slice->pods)};
}

std::string Waiting(const Hosts& hosts) {
  return fmt::format("on the other {} the pods stay in ContainerCreating",
                     Counted(hosts.count - 1, "host"));
}

// A disk that is written to is attached to one node at a time.
void CheckShared(const Subject& subject, std::size_t index, const std::string& pointer,
                 Report& report) {
  const std::optional<Hosts> hosts = HostsOf(subject);
  if (!hosts || workload::IsReadOnlyDisk(subject.pods.pod.spec, index)) return;
  const std::string_view name = subject.pods.pod.spec.volumes[index].name;
  report.Add({.pointer = pointer + "/gcePersistentDisk/readOnly",
              .part = fmt::format("{}/readOnly", name),
              .summary = fmt::format("disk {} is to be written to on {}, but goes to one at a time",
                                     Quoted(name), Counted(hosts->count, "host")),
              .problem = fmt::format("is not true, so the disk can be attached to one node at a "
                                     "time: {}.",
                                     Waiting(*hosts)),
              .change = "set readOnly to true, or use Cloud Storage or Filestore",
              .decision = "how the hosts are to share the data",
              .milder = hosts->known ? std::nullopt : std::optional(Mode::kAudit)});
}

// What a volume of the class surely is: by the class of the same file, by one that each cluster of
// GKE's has, or by a name that is that of a kind of disk.
bool MakesDisks(const Subject& subject, std::string_view class_name) {
  if (const auto* here = ClassHere(subject, class_name)) return here->makes_disks;
  return class_name.empty() || class_name.starts_with("hyperdisk-") ||
         class_name.starts_with("pd-") || subject.catalog.FindStorageClass(class_name) != nullptr;
}

// A claim of the same file. Where it names its volume, or a class that may be any, the volume may
// be a file server, which many nodes reach whatever the claim says.
void CheckClaim(const Subject& subject, std::size_t index, Report& report) {
  if (subject.workload.companions == nullptr) return;
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const std::string_view name = workload::WrittenClaimOf(spec, index);
  const workload::VolumeClaim* claim =
      subject.workload.companions->FindClaim(subject.workload.metadata.namespace_name, name);
  if (claim == nullptr) return;
  std::string pointer = subject.AtSpec("/volumes", index) + "/persistentVolumeClaim/claimName";
  if (!claim->is_bound) {
    CheckClass(subject, spec.volumes[index].name, pointer, claim->storage_class, report, name);
  }
  const std::optional<Hosts> hosts = claim->one_node ? HostsOf(subject) : std::nullopt;
  if (!hosts) return;
  const bool is_sure =
      hosts->known && !claim->is_bound && MakesDisks(subject, claim->storage_class);
  report.Add({.pointer = std::move(pointer),
              .part = fmt::format("{}/accessModes", spec.volumes[index].name),
              .summary = fmt::format("claim {} is for one node, but {} mount it", Quoted(name),
                                     Counted(hosts->count, "host")),
              .problem = fmt::format("is {}, a claim of this file whose access modes are for one "
                                     "node at a time: {}.",
                                     Quoted(name), Waiting(*hosts)),
              .change =
                  "claim ReadWriteMany (Filestore, Cloud Storage) or ReadOnlyMany (a disk that is "
                  "filled already), or give each pod a claim of its own",
              .decision = "how the hosts are to share the data",
              .milder = is_sure ? std::nullopt : std::optional(Mode::kAudit)});
}

void CheckVolume(const Subject& subject, std::size_t index, Report& report) {
  const k8s::Volume& volume = subject.pods.pod.spec.volumes[index];
  const tpu::Generation& generation = *subject.shape.generation;
  std::string pointer;
  if (volume.source == "ephemeral" || volume.source == "gcePersistentDisk") {
    pointer = subject.AtSpec("/volumes", index);
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
    const std::string list = std::string(pods.scale.pointer) + "/volumeClaimTemplates";
    CheckClass(subject, pods.claim_templates[i].name,
               PointerBelow(list, i) + "/spec/storageClassName",
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
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
