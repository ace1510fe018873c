#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu306 {

// "all-tpus", "my-tpu": a name that says TPUs. "tpu-net-interfaces" is for network cards.
bool NamesTpus(std::string_view name) { return name.ends_with("tpu") || name.ends_with("tpus"); }

bool MayBeForTpus(const k8s::ClaimReference& claim) {
  return NamesTpus(claim.name) || NamesTpus(claim.source);
}

const k8s::Container& FirstWithChips(const k8s::PodSpec& spec) {
  return *std::find_if(spec.containers.begin(), spec.containers.end(), workload::UsesTpu);
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  for (std::size_t i = 0; i < spec.resource_claims.size(); ++i) {
    if (report.full()) return;
    const k8s::ClaimReference& claim = spec.resource_claims[i];
    if (!MayBeForTpus(claim)) continue;
    const std::string name = Quoted(claim.source.empty() ? claim.name : claim.source);
    const k8s::Container& container = FirstWithChips(spec);
    report.Add(
        {.pointer = subject.AtSpec("/resourceClaims", i),
         .summary = fmt::format("asks for TPUs twice: by google.com/tpu and by the claim {}", name),
         .problem =
             fmt::format("is a claim whose name says TPUs ({}), but {} asks for google.com/tpu "
                         "too. A node gives its TPUs by one of the two ways, so no node has both.",
                         name, Title(container)),
         .change = "remove either the claim or google.com/tpu",
         .decision = "which of the two is meant"});
    return;
  }
}

}  // namespace tpu306

const Rule kTPU306 = {
    .id = "TPU306",
    .name = "claims-and-chips",
    .mode = Mode::kWarn,
    .check = tpu306::Check,
};

}  // namespace tpu_admission::rules
