#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu702 {

void CheckSelector(const Subject& subject, Report& report) {
  const auto server = workload::FindRequired(subject.pods.pod.spec, workload::kGkeMetadataServer);
  if (!server || !server->Is("true")) return;
  report.Add({.pointer = subject.At(*server),
              .summary = "hostNetwork with Workload Identity: the pod may get the node's account",
              .problem = "asks for nodes with GKE's metadata server, but on the host's network the "
                         "pod may get the service account of the node instead of its own.",
              .change = "leave hostNetwork out, or give the node's service account the rights"});
}

void CheckVolume(const Subject& subject, std::size_t index, Report& report) {
  const k8s::Volume& volume = subject.pods.pod.spec.volumes[index];
  if (volume.driver != workload::kGcsFuseDriver || volume.Attribute("hostNetworkPodKSA") == "true")
    return;
  const std::string pointer = subject.AtSpec("/volumes", index) + "/csi/volumeAttributes";
  report.Add({.pointer = pointer,
              .part = std::string(volume.name),
              .summary = fmt::format(
                  "hostNetwork with GCS FUSE volume {}: the mount may lack the pod's account",
                  Quoted(volume.name)),
              .problem = "mounts Cloud Storage on the host's network, where GCS FUSE uses the "
                         "pod's service account only with hostNetworkPodKSA.",
              .edits = {{pointer + "/hostNetworkPodKSA", "true"}},
              .change = " in volumeAttributes"});
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (!spec.UsesHostNetwork()) return;
  CheckSelector(subject, report);
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) CheckVolume(subject, i, report);
}

}  // namespace tpu702

const Rule kTPU702 = {
    .id = "TPU702",
    .name = "host-network-identity",
    .mode = Mode::kAudit,
    .check = tpu702::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
