// Which kinds of the table a server has.
#pragma once

#include <string>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/cluster/kubectl.h"
#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::cluster {

// "jobs.batch", "pods"
std::string ResourceName(const workload::Kind& kind);

// One call of kubectl. A server that answers in part (one of its extensions is away) has what it
// names, and `complaints` gets what kubectl said.
Result<std::vector<const workload::Kind*>> ServedKinds(Kubectl& kubectl,
                                                       const workload::KindTable& table,
                                                       std::vector<std::string>& complaints);

}  // namespace tpu_admission::cluster
