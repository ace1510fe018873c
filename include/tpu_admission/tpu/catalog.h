// What is true of TPUs on GKE: generations, machine types, topologies, zones, versions. Loaded once
// from config/tpu-catalog.yaml (built into the binary, or the file of --catalog), every row with
// its source. A Catalog is immutable and safe from any thread; pointers and views into it live as
// long as it does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/tpu/topology.h"

namespace tpu_admission::tpu {

using Sources = std::vector<std::string>;  // keys of the catalog's own `sources` table

// One GKE machine type of a TPU node.
struct MachineType {
  std::string name;            // ct6e-standard-4t
  std::int64_t vcpu = 0;
  std::int64_t memory_gib = 0;
  // The largest memory that any source not known to be wrong gives the machine: what denials use.
  std::int64_t memory_ceiling_gib = 0;
  std::optional<int> numa_nodes;
  std::int64_t chips = 0;      // per VM
  // Predicted allocatable of a node (GKE's reservation formula): what warnings and the request fix
  // use. Before DaemonSets take their share.
  std::int64_t allocatable_cpu_millis = 0;
  std::int64_t allocatable_memory_mib = 0;
  bool documented = true;      // in a public Google page
  std::string note;
  Sources sources;
};

// One way to get a topology: `hosts` machines of `machine`.
struct Placement {
  Topology topology;
  const MachineType* machine = nullptr;
  std::int64_t hosts = 0;
  bool standard = true;        // offered on GKE Standard
  bool autopilot = true;       // offered on GKE Autopilot
  bool documented = true;
  Sources sources;

  std::int64_t chips_per_host() const { return machine->chips; }
  bool single_host() const { return hosts == 1; }
};

// The rule for shapes that are not listed one by one ("custom topologies").
struct CustomTopologies {
  std::int64_t above_chips = 0;       // the rule holds for shapes with more chips than this
  int multiple_of = 0;                // every dimension
  bool ordered = false;               // A <= B <= C required
  bool order_disputed = false;        // sources disagree on the order: warn, never deny
  std::int64_t max_chips = 0;         // more: not offered by any source
  std::int64_t documented_max_chips = 0;  // more: only some sources allow it
  const MachineType* machine = nullptr;
  std::vector<std::string> examples;
  Sources sources;
};

enum class Confidence { kHigh, kMedium, kLow };

struct Zone {
  std::string name;                   // us-central1-b
  Confidence confidence = Confidence::kLow;
  bool single_tenant = false;
};

struct GkeVersions {                  // minimum control plane versions; empty: not known
  std::string standard;
  std::string autopilot;
  std::string autoscaling;
  Sources sources;
};

// How sure the catalog is that a topology is to be had.
enum class Offer { kOffered, kDisputed, kNotOffered };

struct OfferAnswer {
  Offer offer = Offer::kOffered;
  std::string reason;                 // for a person; empty if offered
};

struct Generation {
  std::string id;                     // v6e
  std::string name;                   // TPU Trillium (v6e)
  std::string label;                  // value of cloud.google.com/gke-tpu-accelerator
  std::string machine_family;
  int dimensions = 0;                 // of a topology: 2 or 3
  bool documented = true;             // false: known to GKE's code only
  std::vector<MachineType> machines;
  std::vector<Placement> placements;  // listed topologies, one row per machine that serves one
  std::optional<CustomTopologies> custom;
  // Chips that one container may ask for where a node may be split; empty: all chips of the node.
  std::vector<std::int64_t> container_chips;
  Sources container_chips_sources;
  std::vector<Zone> zones;            // empty: no list is known
  Sources zone_sources;
  std::string zone_note;
  GkeVersions min_gke_version;
  std::string note;
  std::vector<std::string> conflicts;
  Sources sources;

  bool node_can_be_split() const { return !container_chips.empty(); }
  const MachineType* FindMachine(std::string_view machine_name) const;
  const Zone* FindZone(std::string_view zone) const;

  // Every way to get `topology`: the listed rows, or the one that a custom shape makes. Empty if
  // it is not offered.
  std::vector<Placement> PlacementsOf(const Topology& topology) const;
  // Whether `topology` (of the right number of dimensions) is to be had, and if not, why.
  OfferAnswer OfferOf(const Topology& topology) const;
  // The listed topologies in catalog order, each once.
  std::vector<Topology> ListedTopologies() const;
};

class Catalog {
 public:
  // `text` is the YAML, `origin` its name in error messages. Strict: an unknown key, a duplicate
  // row, a row without a source, a topology whose chips its machines cannot make up, and a source
  // that is not in the table are errors of the form "origin:LINE:COLUMN: key: what".
  static Result<std::shared_ptr<const Catalog>> Load(std::string_view text, std::string_view origin);

  std::span<const Generation> generations() const { return generations_; }
  const Generation* FindByLabel(std::string_view label) const;
  // What a label that names no generation was probably meant to be: the table of known wrong
  // labels, ids and machine families first, then the nearest label by spelling. nullptr: no idea.
  const Generation* Guess(std::string_view label) const;
  // True if the label looks like a TPU of a generation we do not know (tpu8t, tpu-v9-slice).
  bool LooksLikeNewGeneration(std::string_view label) const;

  const std::string& version() const { return version_; }    // the date of its facts
  const std::string& checksum() const { return checksum_; }  // SHA-256 of the text, hex
  struct Source {
    std::string key;
    std::string text;
  };
  std::span<const Source> sources() const { return sources_; }

 private:
  friend class CatalogLoader;
  struct WrongLabel {
    std::string label;
    std::string meant;
  };

  std::vector<Generation> generations_;
  std::vector<WrongLabel> wrong_labels_;
  std::vector<Source> sources_;
  std::string version_;
  std::string checksum_;
};

// The catalog that is built into the binary (config/tpu-catalog.yaml at build time).
std::string_view BuiltInCatalogText();

}  // namespace tpu_admission::tpu
