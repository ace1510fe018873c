#include "app/engine_flags.h"

#include <string>
#include <vector>

#include "app/flags.h"
#include "tpu_admission/admission/profile.h"

namespace tpu_admission::app {
namespace {

std::vector<std::string> ProfileNames() {
  const std::vector<admission::Profile>& profiles = admission::BuiltInProfiles();
  std::vector<std::string> names;
  for (const admission::Profile& profile : profiles) names.push_back(profile.name);
  return names;
}

}  // namespace

void AddEngineFlags(CLI::App& command, EngineOptions& options) {
  AddFlag(command, "--catalog", options.catalog_file,
          "TPU catalog to use instead of the built-in one")
      ->type_name("FILE");
  AddFlag(command, "--policy", options.policy_file, "modes and fixes by rule and namespace")
      ->type_name("FILE");
  AddFlag(command, "--profile", options.profile,
          "named set of rule modes; without it that of the policy, else standard")
      ->check(IsOneOf(ProfileNames()));
  AddFlag(command, "--cluster-location", options.cluster_location,
          "zone or region of the cluster, e.g. us-central1; enables the location rules");
  AddFlag(command, "--cluster-mode", options.cluster_mode,
          "kind of cluster; without it that of the profile, else standard")
      ->check(IsOneOf({"standard", "autopilot", "self-managed"}));
  AddFlag(command, "--gke-version", options.gke_version,
          "control plane version, e.g. 1.33.2-gke.1111000");
}

}  // namespace tpu_admission::app
