// How many processors this process may use: so many threads are worth having. More of them cost
// CPU (21 % a request with 4 threads on 2 processors) and gain nothing.
#pragma once

#include "tpu_admission/base/files.h"

namespace tpu_admission::net {

// Those that the affinity of this thread allows (sched_getaffinity); at least 1.
int AllowedProcessors();

// `allowed`, or less where a CPU quota of the process's control group, or of one around it, is
// smaller: as many as the quota keeps busy, a begun one whole. Reads /proc/self/cgroup and
// /sys/fs/cgroup, of version 1 and 2; what is not there is no quota. At least 1.
// https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu,
// https://docs.kernel.org/scheduler/sched-bwc.html
int UsableProcessors(const Files& files, int allowed);

}  // namespace tpu_admission::net
