#include "rules/engine/phrases.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

constexpr std::string_view kMetadataServer = "iam.gke.io/gke-metadata-server-enabled";
constexpr std::string_view kGcsFuse = "gcsfuse.csi.storage.gke.io";

void CheckSelector(const Subject& subject, Report& report) {
  const auto server = workload::FindRequired(subject.pods.pod.spec, kMetadataServer);
  if (!server || !server->Is("true")) return;
  report.Add({.pointer = subject.At(*server),
              .container = "",
              .summary = "hostNetwork with Workload Identity: the pod may get the node's account",
              .problem = "asks for nodes with GKE's metadata server, but on the host's network the "
                         "pod may get the service account of the node instead of its own.",
              .change = "leave hostNetwork out, or give the node's service account the rights"});
}

void CheckVolume(const Subject& subject, std::size_t index, Report& report) {
  const k8s::Volume volume = subject.pods.pod.spec.VolumeAt(index);
  if (volume.driver != kGcsFuse || volume.Attribute("hostNetworkPodKSA") == "true") return;
  std::string pointer = subject.AtSpec("/volumes");
  AppendPointerIndex(pointer, index);
  report.Add({.pointer = pointer + "/csi/volumeAttributes",
              .container = std::string(volume.name),
              .summary = "hostNetwork with GCS FUSE volume " + Quoted(volume.name) +
                         ": the mount may lack the pod's account",
              .problem = "mounts Cloud Storage on the host's network, where GCS FUSE uses the "
                         "pod's service account only with hostNetworkPodKSA.",
              .change = "add hostNetworkPodKSA: \"true\" to volumeAttributes"});
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (!spec.UsesHostNetwork()) return;
  CheckSelector(subject, report);
  for (std::size_t i = 0; i < spec.VolumeCount(); ++i) CheckVolume(subject, i, report);
}

}  // namespace

const Rule kTPU702 = {
    .id = "TPU702",
    .name = "host-network-identity",
    .mode = Mode::kAudit,
    .judges_counts = false,
    .words =
        {.what =
             "The pod uses the network of its host and wants the identity of its Kubernetes "
             "service account: it selects nodes with GKE's metadata server (Workload Identity), "
             "or mounts Cloud Storage by GCS FUSE without the attribute hostNetworkPodKSA. It "
             "works in some setups, so it is only recorded.",
         .why =
             "On the host's network a pod reaches the metadata server of the machine, not that of "
             "GKE, and gets the service account of the node. Where only the pod's own account may "
             "read the bucket, the mount fails.",
         .fix = "Run without hostNetwork if you can. For GCS FUSE set the volume attribute "
                "hostNetworkPodKSA: \"true\"; else give the node's service account what the pod "
                "needs.",
         .wrong = R"(apiVersion: v1
kind: Pod
metadata:
  name: train
  annotations: {gke-gcsfuse/volumes: "true"}
spec:
  hostNetwork: true
  dnsPolicy: ClusterFirstWithHostNet
  volumes:
  - name: data
    csi:
      driver: gcsfuse.csi.storage.gke.io
      volumeAttributes: {bucketName: data}
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
         .right = R"(apiVersion: v1
kind: Pod
metadata:
  name: train
  annotations: {gke-gcsfuse/volumes: "true"}
spec:
  hostNetwork: true
  dnsPolicy: ClusterFirstWithHostNet
  volumes:
  - name: data
    csi:
      driver: gcsfuse.csi.storage.gke.io
      volumeAttributes: {bucketName: data, hostNetworkPodKSA: "true"}
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
  - name: jax
    image: example.com/jax
    resources:
      requests: {cpu: "100", memory: 300Gi}
      limits: {google.com/tpu: 4}
)",
         .sources = "https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver\n"
                    "https://github.com/apple/axlearn/pull/641\n"
                    "https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity"},
    .check = Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
