#include <algorithm>
#include <set>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

template <typename Visit>
void ForEachMachine(const tpu::Catalog& catalog, const Visit& visit) {
  for (const tpu::Generation& generation : catalog.generations()) {
    for (const tpu::MachineType& machine : generation.machines) visit(machine);
  }
}

bool SomeMachineHas(const tpu::Catalog& catalog, std::int64_t chips) {
  bool has = false;
  ForEachMachine(catalog, [&](const auto& machine) { has = has || machine.chips == chips; });
  return has;
}

// "1, 4 or 8"
std::string Sizes(const tpu::Catalog& catalog) {
  std::set<std::int64_t> sizes;
  ForEachMachine(catalog, [&](const auto& machine) { sizes.insert(machine.chips); });
  std::vector<std::string> words;
  for (const std::int64_t size : sizes) words.push_back(std::to_string(size));
  return JoinOr(words);
}

void Check(const Subject& subject, Report& report) {
  for (const workload::DeviceRequest& request : subject.pods.device_requests) {
    if (request.all || SomeMachineHas(subject.catalog, request.count)) continue;
    const std::string found = Count(request.count, "chip");
    report.Add({.pointer = subject.AtSpec("/devices/requests/" + std::to_string(request.index)),
                .container = std::string(request.name),
                .summary = "claims " + found + ", but a claim takes all TPUs of its node",
                .problem = "asks for " + found + ", but the TPU machines have " +
                           Sizes(subject.catalog) +
                           ", and the driver prepares all chips of a node or none: on a larger "
                           "node it refuses, and the pod never starts.",
                .change = "set allocationMode to All and remove count"});
  }
}

}  // namespace

const Rule kTPU307 = {
    .id = "TPU307",
    .name = "partial-claim",
    .mode = Mode::kWarn,
    .judges_counts = false,
    .words =
        {.what = "A ResourceClaim or ResourceClaimTemplate asks for a number of TPU chips that no "
                 "machine has as a whole.",
         .why =
             "The TPU driver for dynamic resource allocation refuses a claim for fewer chips than "
             "the node has. The scheduler does not know that: it places the pod, and the pod then "
             "never starts on its node.",
         .fix = "Use allocationMode: All, which takes the whole node, whatever its size.",
         .wrong = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: tpus}
spec:
  spec:
    devices:
      requests:
      - name: tpu
        exactly: {deviceClassName: tpu.google.com, allocationMode: ExactCount, count: 2}
)",
         .right = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: tpus}
spec:
  spec:
    devices:
      requests:
      - name: tpu
        exactly: {deviceClassName: tpu.google.com, allocationMode: All}
)",
         .sources = "kubernetes-sigs/dra-driver-google-tpu@f5a9d8c "
                    "cmd/dra-tpu-kubeletplugin/state_test.go\n"
                    "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/"
                    "resource-claim-v1/"},
    .check = Check,
    .audience = workload::TpuUses(workload::TpuUse::kDeviceClaim),
};

}  // namespace tpu_admission::rules
