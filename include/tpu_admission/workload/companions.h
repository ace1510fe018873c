// What stands beside a workload in the same file and says what the workload leaves to it: the
// claims for volumes that its pods mount. Who judges a file adds them; a review knows none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tpu_admission/k8s/gvk.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::workload {

// A PersistentVolumeClaim.
struct VolumeClaim {
  bool one_node = false;      // all its access modes are of one node at a time
  std::string storage_class;  // empty: the cluster's default
  bool is_bound = false;      // names its volume, which may be of any kind
};

// Owns its text. Safe from any thread once it is filled.
class Companions {
 public:
  static constexpr std::size_t kMost = 1000;  // more are not kept

  // Keeps what is of use; other kinds are left out.
  void Add(const k8s::GroupVersionKind& gvk, k8s::JsonView object);
  // The claim of this name in the namespace, as both are written; nullptr: it is not here.
  const VolumeClaim* FindClaim(std::string_view namespace_name, std::string_view name) const;
  bool empty() const { return claims_.empty(); }

 private:
  std::map<std::pair<std::string, std::string>, VolumeClaim> claims_;
};

}  // namespace tpu_admission::workload
