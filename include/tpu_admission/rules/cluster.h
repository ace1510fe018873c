// What rules are told of the cluster they judge for.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tpu_admission::tpu {
struct SeenShapes;
}

namespace tpu_admission::rules {

// kSelfManaged: no GKE, and so none of its own webhooks.
enum class Platform { kStandard, kAutopilot, kSelfManaged };

// The defaults say nothing that a rule would judge by.
struct Cluster {
  std::string region;  // empty: not known
  Platform platform = Platform::kStandard;
  std::string gke_version;  // empty: not known
  // Its nodes of TPUs, if they are known as they are now; nullptr: they are not.
  std::shared_ptr<const tpu::SeenShapes> shapes = {};
};

// "us-central1-a" and "us-central1" both give "us-central1"; empty if it is neither.
std::string_view RegionOf(std::string_view location);

}  // namespace tpu_admission::rules
