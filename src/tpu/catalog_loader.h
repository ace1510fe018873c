// The catalog's YAML -> structs. Private to the layer: Catalog::Load is the way in.
//
// Each function reads one kind of block and notes what is wrong at its node (base/config_reader.h);
// a row that is wrong is read as far as it goes, because the whole catalog is refused in the end.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::tpu {

// The keys of the catalog's `sources` table.
class SourceTable {
 public:
  void Add(std::string key) { keys_.insert(std::move(key)); }

  // The required member `sources` of a row: at least one key, all in the table.
  Sources Of(ConfigNode row) const;

 private:
  std::set<std::string, std::less<>> keys_;
};

// The required list `key`, which must have a row: others take the first one.
std::vector<ConfigNode> FilledList(ConfigNode node, std::string_view key);
// A topology of `dimensions` dimensions. nullopt: it is wrong, and noted.
std::optional<Topology> ReadTopology(ConfigNode row, std::string_view key, int dimensions);
// A list of them.
std::vector<Topology> ReadTopologies(ConfigNode row, std::string_view key, int dimensions);
// 1.31.1-gke.1846000; empty if the key is not there.
std::string ReadVersion(ConfigNode node, std::string_view key);
// required, disputed or unknown.
DimensionOrder ReadOrder(ConfigNode row);

// load_machines.cpp
std::vector<MachineType> ReadMachines(const ConfigNode& generation, const SourceTable& sources,
                                      std::string_view family);
// load_topologies.cpp; the machines of `generation` have been read.
void ReadPlacements(ConfigNode node, const SourceTable& sources, Generation& generation);
void ReadCustomTopologies(ConfigNode node, const SourceTable& sources, Generation& generation);
// load_operations.cpp; the machines of `generation` have been read.
Zones ReadZones(ConfigNode node, const SourceTable& sources, const Generation& generation);
GkeVersions ReadVersions(ConfigNode generation, const SourceTable& sources);
Disks ReadDisks(ConfigNode generation, const SourceTable& sources);
Consumption ReadConsumption(ConfigNode generation, const SourceTable& sources);
std::optional<Wraparound> ReadWraparound(ConfigNode generation, const SourceTable& sources,
                                         int dimensions);
std::optional<DynamicSlicing> ReadDynamicSlicing(ConfigNode generation, const SourceTable& sources,
                                                 int dimensions);
// load_generation.cpp
Generation ReadGeneration(const ConfigNode& node, const SourceTable& sources);

}  // namespace tpu_admission::tpu
