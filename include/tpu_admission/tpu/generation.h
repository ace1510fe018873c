// One TPU generation as the catalog knows it: machines, topologies, zones, versions, disks.
//
// Plain immutable data. Everything here lives as long as its Catalog; views and pointers point into
// it. The member functions are called on the way of a request: they neither allocate nor lock
// unless they say so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/tpu/topology.h"

namespace tpu_admission::tpu {

using Sources = std::vector<std::string>;  // keys of the catalog's own `sources` table

// What a node of the machine can give to pods: GKE's reservation formula taken from the capacity,
// before DaemonSets take their share.
struct Allocatable {
  std::int64_t cpu_millis = 0;
  std::int64_t memory_mib = 0;
  std::int64_t memory_v2_mib = 0;  // by the formula of node versions from 1.37 on
};

// One GKE machine type of a TPU node.
struct MachineType {
  std::string name;  // ct6e-standard-4t
  std::int64_t vcpu = 0;
  std::int64_t memory_gib = 0;
  // The largest memory that any source not known to be wrong gives the machine: what denials use.
  std::int64_t memory_ceiling_gib = 0;
  std::optional<int> numa_nodes;
  std::int64_t chips = 0;    // per VM
  Allocatable allocatable;   // what warnings and the request fix use
  int threads_per_core = 2;  // 1: SMT is off, and cannot be turned on
  bool single_host = true;   // false: GKE makes no single-host node pool of it
  bool documented = true;    // in a public Google page
  std::string preemption;    // likelihood of a Spot VM's end: lower, medium, higher; "" unknown
  std::string note;
  Sources sources;
};

// One way to get a topology: `hosts` machines of `machine`. A cheap value that points into its
// Generation.
struct Placement {
  Topology topology;
  const MachineType* machine = nullptr;
  std::int64_t hosts = 0;
  bool standard = true;   // offered on GKE Standard
  bool autopilot = true;  // offered on GKE Autopilot
  bool documented = true;
  std::string_view note;
  std::span<const std::string> sources;

  std::int64_t chips_per_host() const { return machine->chips; }
  bool single_host() const { return hosts == 1; }
  bool multi_host() const { return hosts > 1; }
};

// The few placements of one topology, without an allocation.
class PlacementList {
 public:
  static constexpr std::size_t kCapacity = 4;  // the catalog refuses more rows for one topology

  void push_back(const Placement& placement) { items_.at(size_++) = placement; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Placement* begin() const { return items_.data(); }
  const Placement* end() const { return items_.data() + size_; }
  const Placement& operator[](std::size_t i) const { return items_.at(i); }
  const Placement& front() const { return items_.front(); }

 private:
  std::array<Placement, kCapacity> items_{};
  std::size_t size_ = 0;
};

enum class DimensionOrder {
  kRequired,  // A <= B <= C, all sources agree
  kDisputed,  // some sources require it
  kUnknown,   // no source says
};

// The rule for shapes that are not listed one by one ("custom topologies").
struct CustomTopologies {
  std::int64_t above_chips = 0;  // the rule holds for shapes with more chips than this
  int multiple_of = 1;           // every dimension
  DimensionOrder order = DimensionOrder::kUnknown;
  std::int64_t max_chips = 0;             // more: not offered by any source
  std::int64_t documented_max_chips = 0;  // more: only some sources allow it
  const MachineType* machine = nullptr;
  std::vector<Topology> examples;
  std::string note;
  Sources sources;
};

enum class Confidence { kHigh, kMedium, kLow };

struct Zone {
  std::string name;  // us-central1-b
  Confidence confidence = Confidence::kLow;
  bool single_tenant = false;
  std::string note;
  Sources sources;
};

// What holds for a machine, or for single hosts, in some zones only.
struct ZoneLimit {
  std::vector<std::string> in;  // zones
  std::string machine;          // empty: every machine of the generation
  bool single_host = true;      // false: no single-host slices there
  std::optional<Topology> min_topology;
  std::string instead;  // the zone to take; empty: none is named
  std::string note;
  Sources sources;

  // Whether the placement is not to be had in the zones of the limit.
  bool Forbids(const Placement& placement) const;
};

struct Zones {
  std::vector<Zone> list;  // empty: no list is known
  std::vector<ZoneLimit> limits;
  // Whether a zone that is not in the list is surely wrong.
  bool complete = false;
  std::string note;
};

struct GkeVersions {  // minimum control plane versions; empty: not known
  std::string standard;
  std::string autopilot;
  std::string autoscaling;
  std::string note;
  Sources sources;
};

// Kinds of disk that a node boots from and that its pods may attach.
struct Disks {
  std::vector<std::string> boot;
  std::vector<std::string> attach;
  std::vector<std::string> attach_confidential;  // on confidential nodes only
  std::vector<std::string> disputed;             // of `attach`, by another source: not advised
  std::string default_boot;
  std::string note;
  Sources sources;
};

enum class Availability { kUnknown, kNo, kAllowlist, kYes };

struct Consumption {
  Availability spot = Availability::kUnknown;
  Availability flex_start = Availability::kUnknown;
  Availability queued_provisioning = Availability::kUnknown;
  Availability calendar_reservation = Availability::kUnknown;
  Availability collections = Availability::kUnknown;  // collection scheduling
  Sources sources;
};

// When the links of a slice wrap around (TPU_TOPOLOGY_WRAP).
struct Wraparound {
  enum class Rule {
    kPerAxis,  // an axis wraps where its dimension is `size`
    kAllAxes,  // all axes wrap where every dimension is at least `size`
  };
  Rule rule = Rule::kPerAxis;
  int size = 0;
  std::vector<Topology> twisted;  // shapes that may be twisted
  std::string note;
  Sources sources;
};

// Slices cut out of, or made of, the blocks of a node pool that names no topology of its own.
struct DynamicSlicing {
  std::vector<Topology> sub_slices;
  Topology block;  // what super-slices are made of
  std::int64_t max_blocks = 0;
  DimensionOrder order = DimensionOrder::kUnknown;
  std::string note;
  Sources sources;
};

// Something that must be so for node pools of the generation, or a fact that no pod shows.
struct NodePoolRule {
  std::string rule;
  Sources sources;
};

// A host that some sources have and others do not, and of which no more is known than its chips.
struct DisputedHost {
  std::int64_t chips = 0;
  std::vector<Topology> topologies;  // that are made of such hosts
  std::string dispute;               // both sides, in a sentence
  Sources sources;

  bool Makes(const Topology& topology) const;
};

// How sure the catalog is that a topology is to be had.
enum class Offer { kOffered, kDisputed, kNotOffered };

struct OfferAnswer {
  Offer offer = Offer::kOffered;
  std::string reason;  // for a person; empty if offered
  bool lists = false;  // the reason says what there is
};

struct Generation {
  Generation() = default;
  Generation(Generation&&) = default;  // not copied: placements point into it
  Generation& operator=(Generation&&) = default;

  std::string id;     // v6e
  std::string name;   // TPU Trillium (v6e)
  std::string label;  // value of cloud.google.com/gke-tpu-accelerator
  std::string machine_family;
  std::vector<std::string> aliases;  // other names that people write: v5litepod, trillium
  int dimensions = 0;                // of a topology: 2 or 3
  bool documented = true;            // false: known to GKE's code only
  bool static_slicing = true;        // false: slices of it cannot be cut into parts
  std::vector<MachineType> machines;
  std::vector<Placement> placements;  // listed topologies, one row per machine that serves one
  std::optional<CustomTopologies> custom;
  // Chips that one container may ask for where a node may be split; empty: all chips of the node.
  std::vector<std::int64_t> container_chips;
  std::vector<DisputedHost> disputed_hosts;
  std::string container_chips_note;
  Sources container_chips_sources;
  Zones zones;
  GkeVersions min_gke_version;
  Disks disks;
  Consumption consumption;
  std::optional<Wraparound> wraparound;
  std::optional<DynamicSlicing> dynamic_slicing;
  std::vector<NodePoolRule> node_pool_rules;
  // Multi-host node pools take a workload policy (--placement-policy) instead of --tpu-topology.
  bool placed_by_workload_policy = false;
  std::int64_t hbm_gb_per_chip = 0;  // as the pages write it; 0: not known
  Sources hbm_sources;
  std::int64_t tensor_cores_per_chip = 0;  // a chip is at most so many devices; 0: not known
  Sources tensor_core_sources;
  std::string note;
  std::vector<std::string> conflicts;  // where sources disagree, and what the catalog made of it
  Sources sources;

  bool node_can_be_split() const { return !container_chips.empty(); }
  // Whether a container may ask for so many of the chips of a host: all, or a part of which several
  // fill it, where it can be split.
  bool GivesChips(std::int64_t chips, std::int64_t host) const;
  // Those that it may ask for, the most first. Allocates.
  std::vector<std::int64_t> ChipsOn(std::int64_t host) const;
  const MachineType* FindMachine(std::string_view machine_name) const;
  const Zone* FindZone(std::string_view zone) const;
  // The disputed host of so many chips that `topology`, or any if it is not given, may be made of.
  const DisputedHost* FindDisputedHost(std::int64_t chips,
                                       const std::optional<Topology>& topology) const;
  // True if a zone of the list is in `region` (us-central1).
  bool InRegion(std::string_view region) const;

  // Every way to get `topology`: the listed rows, or the one that a custom shape makes. Empty if
  // it is not offered.
  PlacementList PlacementsOf(const Topology& topology) const;
  // Whether there is one.
  bool Has(const Topology& topology) const { return !PlacementsOf(topology).empty(); }
  bool Has(std::string_view topology) const;
  // Whether `topology` is to be had, and if not, why. Allocates if there is a reason to give.
  OfferAnswer OfferOf(const Topology& topology) const;
  // The listed topologies in catalog order, each once. Allocates.
  std::vector<Topology> ListedTopologies() const;
  // The shapes of so many chips that the rule for custom topologies makes, with rising dimensions.
  // Allocates.
  std::vector<Topology> CustomShapesOf(std::int64_t chips) const;

  // What the views of `placements` point into.
  struct PlacementText {
    std::string note;
    Sources sources;
  };
  std::vector<PlacementText> placement_texts;
};

}  // namespace tpu_admission::tpu
