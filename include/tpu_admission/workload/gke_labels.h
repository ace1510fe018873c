// The labels, annotations, taints and resources by which GKE and its TPU nodes are spoken to. Each
// key stands here and nowhere else.
#pragma once

#include <string_view>

namespace tpu_admission::workload {

// The extended resource, and the key of the taint on TPU nodes.
// https://cloud.google.com/kubernetes-engine/docs/concepts/tpus
inline constexpr std::string_view kTpuResource = "google.com/tpu";
// No resource of GKE's: what people write for it, by the domain of the labels.
inline constexpr std::string_view kMistakenTpuResource = "cloud.google.com/tpu";
inline constexpr std::string_view kGkeTpuAccelerator = "cloud.google.com/gke-tpu-accelerator";
inline constexpr std::string_view kGkeTpuTopology = "cloud.google.com/gke-tpu-topology";
inline constexpr std::string_view kGkeAcceleratorCount = "cloud.google.com/gke-accelerator-count";
// What the former Cloud TPU operator offered: cloud-tpus.google.com/v3.
inline constexpr std::string_view kLegacyTpuPrefix = "cloud-tpus.google.com/";
// The driver of TPUs by dynamic resource allocation.
inline constexpr std::string_view kTpuDriver = "tpu.google.com";

// The same labels by the names that clusters without GKE give them.
// kubernetes-sigs/dra-driver-google-tpu@f5a9d8c reads these first.
inline constexpr std::string_view kOwnTpuAccelerator = "tpu.google.com/accelerator";
inline constexpr std::string_view kOwnTpuTopology = "tpu.google.com/topology";

// Annotations of pods. GoogleCloudPlatform/kubernetes-engine-samples and xpk's slice controller,
// slice/internal/core/constants.go.
inline constexpr std::string_view kGkeSliceTopology = "cloud.google.com/gke-tpu-slice-topology";
inline constexpr std::string_view kGkeSkipTpuCheck = "cloud.google.com/skip-tpu-webhook-check";
// The labels of parts of a slice: cloud.google.com/gke-tpu-partition-4x4x4-id.
inline constexpr std::string_view kGkeTpuPrefix = "cloud.google.com/gke-tpu-";
inline constexpr std::string_view kGkeTpuPartitionPrefix = "cloud.google.com/gke-tpu-partition-";
inline constexpr std::string_view kGkeTpuSlicePrefix = "cloud.google.com/gke-tpu-slice-";
// What holds many blocks of a TPU. AI-Hypercomputer/xpk slice/internal/core/constants.go.
inline constexpr std::string_view kGceTopologyBlock = "cloud.google.com/gce-topology-block";

// Which node. GoogleCloudPlatform/cluster-autoscaler@7d25050 pkg/cloudprovider/gke/labels.
inline constexpr std::string_view kGkeGpu = "cloud.google.com/gke-accelerator";
inline constexpr std::string_view kGkeNodePool = "cloud.google.com/gke-nodepool";
inline constexpr std::string_view kGkeNodePoolGroup = "cloud.google.com/gke-nodepool-group-name";
inline constexpr std::string_view kGkeMachineFamily = "cloud.google.com/machine-family";
inline constexpr std::string_view kGkeImage = "cloud.google.com/gke-os-distribution";
inline constexpr std::string_view kGkeComputeClass = "cloud.google.com/compute-class";
inline constexpr std::string_view kGkeBootDiskSize = "cloud.google.com/gke-boot-disk-size";
inline constexpr std::string_view kGkeLocalSsd = "cloud.google.com/gke-ephemeral-storage-local-ssd";

// The taint of a node that is about to be stopped, for maintenance or preemption.
// https://docs.cloud.google.com/kubernetes-engine/docs/concepts/handle-disruption-gpu-tpu
inline constexpr std::string_view kGkeImpendingTermination =
    "cloud.google.com/impending-node-termination";

// Which kind of capacity. https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus and
// GoogleCloudPlatform/cluster-autoscaler@7d25050 pkg/cloudprovider/gke/labels.
inline constexpr std::string_view kGkeSpot = "cloud.google.com/gke-spot";
inline constexpr std::string_view kGkePreemptible = "cloud.google.com/gke-preemptible";
inline constexpr std::string_view kGkeFlexStart = "cloud.google.com/gke-flex-start";
inline constexpr std::string_view kGkeProvisioning = "cloud.google.com/gke-provisioning";
inline constexpr std::string_view kGkeQueued = "cloud.google.com/gke-queued";
inline constexpr std::string_view kGkeWorkloadType = "cloud.google.com/gke-workload-type";
inline constexpr std::string_view kGkeMaxRunDuration =
    "cloud.google.com/gke-max-run-duration-seconds";
inline constexpr std::string_view kGkeExtendedDuration = "cloud.google.com/extended-duration-pods";
inline constexpr std::string_view kGkeReservation = "cloud.google.com/reservation-name";
inline constexpr std::string_view kGkeReservationProject = "cloud.google.com/reservation-project";
inline constexpr std::string_view kGkeReservationAffinity = "cloud.google.com/reservation-affinity";
inline constexpr std::string_view kGkeReservationBlocks = "cloud.google.com/reservation-blocks";
inline constexpr std::string_view kGkeReservationSubBlocks =
    "cloud.google.com/reservation-subblocks";

// https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity
inline constexpr std::string_view kGkeMetadataServer = "iam.gke.io/gke-metadata-server-enabled";
// https://cloud.google.com/kubernetes-engine/docs/how-to/cloud-storage-fuse-csi-driver-setup
inline constexpr std::string_view kGcsFuseDriver = "gcsfuse.csi.storage.gke.io";

// Kubernetes' own. https://kubernetes.io/docs/reference/labels-annotations-taints/
inline constexpr std::string_view kInstanceTypeLabel = "node.kubernetes.io/instance-type";
inline constexpr std::string_view kBetaInstanceTypeLabel = "beta.kubernetes.io/instance-type";
inline constexpr std::string_view kHostNameLabel = "kubernetes.io/hostname";
inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";
inline constexpr std::string_view kOsLabel = "kubernetes.io/os";
inline constexpr std::string_view kArchLabel = "kubernetes.io/arch";
inline constexpr std::string_view kBetaArchLabel = "beta.kubernetes.io/arch";
inline constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";
// A Job's name, which its controller writes at its pods; the first is the older of the two.
// https://kubernetes.io/docs/reference/labels-annotations-taints/#job-name
inline constexpr std::string_view kOldJobName = "job-name";
inline constexpr std::string_view kJobName = "batch.kubernetes.io/job-name";
// Unique for each start of a replica of Ray workers. ray-project/kuberay
// ray-operator/controllers/ray/common/pod.go
inline constexpr std::string_view kRayReplicaName = "ray.io/worker-group-replica-name";

}  // namespace tpu_admission::workload
