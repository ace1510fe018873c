// Which kinds of the table a server has.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/cluster/kubectl.h"
#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::cluster {

// "jobs.batch", "pods"
std::string ResourceName(const workload::Kind& kind);

// The resources that can be listed, as ResourceName() writes them. One call of kubectl. A server
// that answers in part (one of its extensions is away) has what it names, and `complaints` gets
// what kubectl said.
Result<std::set<std::string>> ServedResources(Kubectl& kubectl,
                                              std::vector<std::string>& complaints);

// Those of the tables, each once.
Result<std::vector<const workload::Kind*>> ServedKinds(
    Kubectl& kubectl, const std::vector<const workload::KindTable*>& tables,
    std::vector<std::string>& complaints);

}  // namespace tpu_admission::cluster
