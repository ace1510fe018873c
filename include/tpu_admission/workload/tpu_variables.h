// The environment variables by which the TPU runtime learns who works with whom. Each name stands
// here and nowhere else. https://cloud.google.com/kubernetes-engine/docs/concepts/tpus and libtpu
// as JAX uses it: jax-ml/jax jax/_src/clusters/cloud_tpu_cluster.py.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace tpu_admission::workload {

// What all names begin with: those of one slice, and those of several.
inline constexpr std::string_view kTpuPrefix = "TPU_";
inline constexpr std::string_view kMegascalePrefix = "MEGASCALE_";

inline constexpr std::string_view kTpuWorkerId = "TPU_WORKER_ID";
inline constexpr std::string_view kTpuWorkerHostNames = "TPU_WORKER_HOSTNAMES";
inline constexpr std::string_view kTpuProcessAddresses = "TPU_PROCESS_ADDRESSES";
// The part of the slice that a process takes, where it is not all of it. The second is the older
// name.
inline constexpr std::string_view kTpuProcessBounds = "TPU_PROCESS_BOUNDS";
inline constexpr std::string_view kTpuHostBounds = "TPU_HOST_BOUNDS";
// Where the processes of a host listen.
inline constexpr std::string_view kTpuProcessPort = "TPU_PROCESS_PORT";
// The slice, as Ray names it.
inline constexpr std::string_view kTpuName = "TPU_NAME";
// The device plugin on the node, which Ray asks for metrics.
inline constexpr std::string_view kTpuDevicePluginHostIp = "TPU_DEVICE_PLUGIN_HOST_IP";
inline constexpr std::string_view kTpuDevicePluginAddress = "TPU_DEVICE_PLUGIN_ADDR";
// Several slices that work together.
inline constexpr std::string_view kMegascaleNumSlices = "MEGASCALE_NUM_SLICES";
inline constexpr std::string_view kMegascaleSliceId = "MEGASCALE_SLICE_ID";
inline constexpr std::string_view kMegascaleCoordinator = "MEGASCALE_COORDINATOR_ADDRESS";
inline constexpr std::string_view kMegascalePort = "MEGASCALE_PORT";

inline constexpr std::array kTpuVariables = {kTpuWorkerId,
                                             kTpuWorkerHostNames,
                                             kTpuProcessAddresses,
                                             kTpuProcessBounds,
                                             kTpuHostBounds,
                                             kTpuProcessPort,
                                             kTpuName,
                                             kTpuDevicePluginHostIp,
                                             kTpuDevicePluginAddress,
                                             kMegascaleNumSlices,
                                             kMegascaleSliceId,
                                             kMegascaleCoordinator,
                                             kMegascalePort};
constexpr bool IsTpuVariable(std::string_view name) {
  if (!name.starts_with(kTpuPrefix) && !name.starts_with(kMegascalePrefix)) return false;
  return std::find(kTpuVariables.begin(), kTpuVariables.end(), name) != kTpuVariables.end();
}

}  // namespace tpu_admission::workload
