// Who a worker of a slice is, from its pod alone: number, host names, slice. Nothing is looked up
// and nothing kept, so every replica of the server gives the same answer at any time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tpu_admission/k8s/pod.h"

namespace tpu_admission::workload {

// By which name a worker is found in DNS.
enum class HostDomain {
  kSubdomain,  // hostname.subdomain, of a headless Service that the pod names
  kCluster,    // the same, and nobody but us writes hostname and subdomain
  kOwn,        // each pod has a Service of its own
};

// Where identity stands in the pods of one kind. A pattern is text in which "{key}" is the value of
// a label or annotation, "%" the name of the pod without the number at its end, and "$" the number
// of the slice.
struct IdentityRow {
  std::string_view kind;         // "JobSet"
  std::string_view owner_group;  // of the pod's controller
  std::string_view owner_kind;
  std::string_view only_with = {};   // a label that the kind's pods have
  std::string_view only_value = {};  // its value; empty: any
  std::string_view never_with = {};  // a label of pods that have their identity from others
  std::string_view index;  // label or annotation with the number; "%": the end of the name
  std::string_view host;   // pattern: a host's name without its number
  std::string_view name;   // pattern of TPU_NAME: the slice
  HostDomain domain = HostDomain::kSubdomain;
  std::string_view slice = {};        // label or annotation; none: the index runs over all slices
  std::string_view slices = {};       // how many there are
  std::string_view coordinator = {};  // pattern: host of the first worker of the first slice
  std::string_view coordinated_by = {};  // label with the name of a host that all slices look to
  std::string_view no_index = {};        // what to do if there is no number
  std::int64_t process_port = 8476;
  bool gke_serves = false;  // GKE's own webhook gives its workers an identity
  bool is_ray = false;      // wants the name of its slice and the device plugin, on one host too
};
// nullptr: pods that have no identity of this kind, or have it from others.
const IdentityRow* IdentityRowOf(const k8s::Pod& pod);

// The headless Service that KubeRay makes for the workers of the pod's cluster: its name is never
// cut. Empty if the pod names no cluster.
std::string RayServiceOf(const k8s::Pod& pod);

struct WorkerIdentity {
  std::int64_t id = 0;       // in its slice, from 0
  std::int64_t workers = 1;  // of its slice
  std::int64_t first = 0;    // the number in the host name of worker 0
  std::string host;          // "serve-"
  std::string domain;        // ".serve"; empty: the name alone
  std::string name;          // of the slice: "serve-1"
  std::int64_t slice = 0;
  // Of several workers that are found by hostname and subdomain: the pod has none.
  bool lacks_hostname = false;
  bool lacks_subdomain = false;

  std::string HostLabel() const { return host + std::to_string(first + id); }
  // "serve-4.serve", for the worker with this number.
  void AppendHost(std::string& text, std::int64_t worker) const;
  // All of the slice, joined by commas.
  std::string HostNames() const;
};

// Why an identity is not known: a sentence without its subject, and what to do.
struct NoIdentity {
  std::string problem;
  std::string change;
};

// Of a pod of `row`, in a slice of `workers` pods (at least 1). Every host name that comes of it is
// made of DNS labels, and is the pod's own.
std::variant<WorkerIdentity, NoIdentity> IdentityOf(const IdentityRow& row, const k8s::Pod& pod,
                                                    std::int64_t workers);

// The slices of a worker's workload, if they work together.
struct SliceGroup {
  std::int64_t slices = 0;      // 0: the pod does not say
  std::string coordinator;      // empty: the pod does not say
  bool is_coordinated = false;  // the pod names this very host as its coordinator
};
SliceGroup SliceGroupOf(const IdentityRow& row, const k8s::ObjectMeta& pod,
                        const WorkerIdentity& identity);
// Whether the pod names a coordinator at all.
bool IsCoordinated(const IdentityRow& row, const k8s::ObjectMeta& pod);

// What may stand in a hostname or subdomain: RFC 1123, at most 63 characters.
bool IsDnsLabel(std::string_view text);

}  // namespace tpu_admission::workload
