// The environment variables by which the TPU runtime learns who works with whom. Each name stands
// here and nowhere else. https://cloud.google.com/kubernetes-engine/docs/concepts/tpus and libtpu
// as JAX uses it: jax-ml/jax jax/_src/clusters/cloud_tpu_cluster.py.
#pragma once

#include <string_view>

namespace tpu_admission::workload {

inline constexpr std::string_view kTpuWorkerId = "TPU_WORKER_ID";
inline constexpr std::string_view kTpuWorkerHostNames = "TPU_WORKER_HOSTNAMES";
inline constexpr std::string_view kTpuProcessAddresses = "TPU_PROCESS_ADDRESSES";
// The part of the slice that a process takes, where it is not all of it. The second is the older
// name.
inline constexpr std::string_view kTpuProcessBounds = "TPU_PROCESS_BOUNDS";
inline constexpr std::string_view kTpuHostBounds = "TPU_HOST_BOUNDS";
inline constexpr std::string_view kMegascaleNumSlices = "MEGASCALE_NUM_SLICES";

}  // namespace tpu_admission::workload
