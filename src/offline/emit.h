// The emitters behind Emit(), by what they make.
#pragma once

#include <string>
#include <string_view>

#include "tpu_admission/offline/plan.h"

namespace tpu_admission::offline {

struct Emitted {
  const Way& way;
  const Capacity& capacity;
  const Naming& naming;

  // As YAML wants them: a name such as `true` in quotes.
  std::string name() const;
  std::string image() const;
};

// Each line of `text` behind so many spaces.
std::string Indented(std::string_view text, std::size_t spaces);

// Manifests of workloads (plan_manifests.cpp).
Result<std::string> EmitPod(const Emitted& plan);
Result<std::string> EmitDeployment(const Emitted& plan);
Result<std::string> EmitJob(const Emitted& plan);
Result<std::string> EmitJobSet(const Emitted& plan);
Result<std::string> EmitLeaderWorkerSet(const Emitted& plan);
Result<std::string> EmitStatefulSet(const Emitted& plan);
Result<std::string> EmitRayCluster(const Emitted& plan);

// What makes or names the nodes (plan_nodes.cpp).
// The labels of the nodes below `field`: nodeSelector of a pod, nodeLabels of a flavor.
std::string NodeLabels(const Emitted& plan, std::string_view field);
Result<std::string> EmitNodePool(const Emitted& plan);
Result<std::string> EmitTerraform(const Emitted& plan);
Result<std::string> EmitComputeClass(const Emitted& plan);
Result<std::string> EmitResourceFlavor(const Emitted& plan);

}  // namespace tpu_admission::offline
