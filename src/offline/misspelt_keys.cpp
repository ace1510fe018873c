#include "offline/misspelt_keys.h"

#include <algorithm>
#include <array>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::offline {
namespace {

constexpr std::array<std::string_view, 16> kKeys = {
    "affinity",  "completionMode", "completions", "containers", "initContainers", "limits",
    "metadata",  "nodeSelector",   "parallelism", "replicas",   "replicatedJobs", "requests",
    "resources", "spec",           "template",    "tolerations"};
constexpr std::size_t kMost = 10;

std::string_view Meant(std::string_view key, bool also_near) {
  const bool is_known = std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
  return is_known ? "" : Nearest(key, kKeys, also_near ? 1 : 0);  // which ignores case
}

bool SelectsTpus(k8s::JsonView selector) {
  for (std::size_t i = 0; i < selector.size(); ++i) {
    if (selector.MemberKey(i).starts_with(workload::kGkeTpuPrefix)) return true;
  }
  return false;
}

// Of `map` at `pointer`: where a key belongs that is written a level too high or too low; empty: it
// may be right.
std::string_view LevelOf(k8s::JsonView map, const std::string& pointer, std::string_view key) {
  const std::string_view list = std::string_view(pointer).substr(0, pointer.rfind('/'));
  const bool in_container = list.ends_with("/containers") || list.ends_with("/initContainers");
  if (in_container && (key == "limits" || key == "requests")) {
    return key == "limits" ? "resources.limits" : "resources.requests";
  }
  if (key != "nodeSelector" || !SelectsTpus(map[key])) return "";
  if (in_container) return "nodeSelector beside containers";
  return map.Follow("template/spec/containers").has_value() ? "template.spec.nodeSelector" : "";
}

// Whether there are chips somewhere in `value`; if so, its keys are looked at, and of what is in it
// that leads to them.
bool LookInto(k8s::JsonView value, const std::string& pointer, bool also_near,
              std::vector<MisspeltKey>& found) {
  const bool is_map = value.is_object();
  bool has_chips = is_map && value[workload::kTpuResource].has_value();
  for (std::size_t i = 0; i < value.size(); ++i) {
    const k8s::JsonView inner = is_map ? value.Member(i) : value.Element(i);
    if (!inner.is_object() && !inner.is_array()) continue;
    const std::string place =
        is_map ? PointerBelow(pointer, value.MemberKey(i)) : PointerBelow(pointer, i);
    has_chips = LookInto(inner, place, also_near, found) || has_chips;
  }
  for (std::size_t i = 0; is_map && has_chips && i < value.size(); ++i) {
    const std::string_view key = value.MemberKey(i);
    const std::string_view place = LevelOf(value, pointer, key);
    const std::string_view meant = place.empty() ? Meant(key, also_near) : place;
    // Where the right one stands beside it, this may be another thing.
    if (meant.empty() || value[meant].present() || found.size() == kMost) continue;
    found.push_back({PointerBelow(pointer, key), meant});
  }
  return has_chips;
}

}  // namespace

std::vector<MisspeltKey> MisspeltKeys(k8s::JsonView object, bool also_near) {
  std::vector<MisspeltKey> found;
  LookInto(object, "", also_near, found);
  return found;
}

}  // namespace tpu_admission::offline
