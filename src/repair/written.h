// What is written of a pod set: the shape that it asks for, as far as it can be read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tpu_admission/tpu/catalog.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::repair {

struct Written {
  const workload::PodSet* pods = nullptr;
  const workload::NodeChoice* choice = nullptr;
  const tpu::Generation* generation = nullptr;  // selected, or probably meant
  const k8s::Container* container = nullptr;    // with the chips; nullptr: several share a host
  std::optional<tpu::Topology> topology;
  // By a finding that was followed first, or meant by what the object says in another spelling.
  bool topology_is_said = false;
  // Whether the pods ask by an annotation for a part of a slice, which `topology` is then: repairs
  // keep it. And the topology of the node pool, unless it is left to Kueue.
  bool is_part = false;
  std::optional<tpu::Topology> cut_from;
  std::int64_t chips_per_pod = 0;  // 0: not known
  std::int64_t pods_per_slice = 1;
  std::int64_t slices = 1;
  std::int64_t grouped = 0;  // a plain pod: how many Kueue starts together, all alike; 0: no such
  std::int64_t sub_groups = 1;  // of each group, which are slices too
  std::int64_t total_chips = 0;
  // Each pod is a slice of its own, for its host is one: any number of them is right.
  bool on_single_hosts = false;
  // As many pods as the slice has hosts: each is to have all chips of its own.
  bool fills_hosts = false;
  // The pods of other sets, which are counted for themselves, fill its slices with it.
  bool filled_by_others = false;
  // Each of its Jobs has a node pool to itself, and is a slice.
  bool is_alone_in_pools = false;
  // A count of 0 stays: a pause is no fault, and no repair ends it.
  bool has_paused_pods = false;
  bool has_paused_slices = false;
  // The sets whose pods fill the slices with these, and are counted in them: a leader's.
  std::vector<Written> followers;

  bool is_in_catalog() const { return topology && generation->Has(*topology); }
  // Whether it asks for as many pods, of the same chips, on the same nodes.
  bool HasShapeOf(const Written& other) const;
};
// Nothing if a person must choose first: several alternatives, no generation, no counts.
std::optional<Written> Read(const tpu::Catalog& catalog, const workload::PodSet& pods);
// The same with its followers.
std::optional<Written> ReadAll(const tpu::Catalog& catalog, const workload::Workload& workload,
                               const workload::PodSet& pods);

}  // namespace tpu_admission::repair
