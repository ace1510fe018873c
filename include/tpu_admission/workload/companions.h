// What stands beside a workload in the same file and says what the workload leaves to it: the
// claims for volumes that its pods mount, who asks for how many of its pods, and the Services that
// name them. Who judges a file adds them; a review knows none.
#pragma once

#include <cstdint>
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

  bool operator==(const VolumeClaim&) const = default;
};

// A StorageClass.
struct StorageClass {
  bool makes_disks = false;  // by the driver of Compute Engine's disks
  std::string disk;          // "pd-ssd"; empty if it makes none, or does not say which

  bool operator==(const StorageClass&) const = default;
};

// A ProvisioningRequest of the autoscaler, which asks for room for pods of a PodTemplate.
struct PodRequest {
  std::string name;
  std::int64_t count = 0;

  bool operator==(const PodRequest&) const = default;
};

// A Service, but of type ExternalName, which has no pods.
struct Service {
  bool is_headless = false;                     // clusterIP: None
  std::map<std::string, std::string> selector;  // empty: its endpoints are made by others

  bool operator==(const Service&) const = default;
};

// Owns its text. Safe from any thread once it is filled.
class Companions {
 public:
  // Keeps what is of use; other kinds are left out.
  void Add(const k8s::GroupVersionKind& gvk, k8s::JsonView object);
  // As if the objects of the others were added.
  void Add(const Companions& others);
  // The claim of this name in the namespace, as both are written; nullptr: it is not here.
  const VolumeClaim* FindClaim(std::string_view namespace_name, std::string_view name) const;
  // The class that claims name so; nullptr: it is not here.
  const StorageClass* FindClass(std::string_view name) const;
  // Who asks for pods of the PodTemplate of this name; nullptr: nobody here.
  const PodRequest* FindRequest(std::string_view namespace_name, std::string_view name) const;
  const Service* FindService(std::string_view namespace_name, std::string_view name) const;
  bool operator==(const Companions&) const = default;
  bool empty() const {
    return claims_.empty() && classes_.empty() && requests_.empty() && services_.empty();
  }

 private:
  using Name = std::pair<std::string, std::string>;  // the namespace as it is written, and the name

  void AddClaim(const Name& name, k8s::JsonView spec);
  void AddRequest(const Name& name, k8s::JsonView spec);
  void AddService(const Name& name, k8s::JsonView spec);

  std::map<Name, VolumeClaim> claims_;
  std::map<Name, StorageClass> classes_;  // whose namespace is empty
  std::map<Name, PodRequest> requests_;
  std::map<Name, Service> services_;
};

}  // namespace tpu_admission::workload
