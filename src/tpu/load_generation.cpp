#include <set>
#include <utility>

#include "tpu/catalog_loader.h"

namespace tpu_admission::tpu {
namespace {

void ReadContainerChips(ConfigNode node, const SourceTable& sources, Generation& generation) {
  std::optional<ConfigNode> block = node.MapOrNone("container_chips");
  if (!block) return;
  generation.container_chips = block->Ints("allowed", {1, 1024});
  generation.container_chips_note = block->StringOr("note", "");
  generation.container_chips_sources = sources.Of(*block);
  std::int64_t last = 0;
  for (const std::int64_t chips : generation.container_chips) {
    if (chips <= last) block->Fail("allowed", "wanted rising numbers of chips, each once");
    last = chips;
  }
}

std::vector<DisputedHost> ReadDisputedHosts(ConfigNode node, const SourceTable& sources,
                                            int dimensions) {
  std::vector<DisputedHost> hosts;
  for (ConfigNode row : node.ListOrNone("disputed_hosts")) {
    DisputedHost host;
    host.chips = row.Int("chips", {1, 1024});
    host.topologies = ReadTopologies(row, "topologies", dimensions);
    host.dispute = row.String("dispute");
    host.sources = sources.Of(row);
    for (const Topology& topology : host.topologies) {
      if (topology.chips() % host.chips == 0) continue;
      row.Fail("topologies", topology.Text() + " cannot be made of hosts of " +
                                 std::to_string(host.chips) + " chips");
    }
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::vector<NodePoolRule> ReadNodePoolRules(ConfigNode node, const SourceTable& sources) {
  std::vector<NodePoolRule> rules;
  for (ConfigNode row : node.ListOrNone("node_pool_rules")) {
    rules.push_back({row.String("rule"), sources.Of(row)});
  }
  return rules;
}

void ReadHbm(ConfigNode node, const SourceTable& sources, Generation& generation) {
  std::optional<ConfigNode> block = node.MapOrNone("hbm");
  if (!block) return;
  generation.hbm_gb_per_chip = block->Int("gb_per_chip", {1, 10'000});
  generation.hbm_sources = sources.Of(*block);
}

void ReadTensorCores(ConfigNode node, const SourceTable& sources, Generation& generation) {
  std::optional<ConfigNode> block = node.MapOrNone("tensor_cores");
  if (!block) return;
  generation.tensor_cores_per_chip = block->Int("per_chip", {1, 100});
  generation.tensor_core_sources = sources.Of(*block);
}

void ReadIdentity(ConfigNode node, const SourceTable& sources, Generation& generation) {
  generation.id = node.String("id");
  generation.name = node.String("name");
  generation.label = node.String("label");
  generation.machine_family = node.String("machine_family");
  generation.aliases = node.StringsOrNone("aliases");
  generation.dimensions = static_cast<int>(node.Int("dimensions", {2, 3}));
  generation.documented = node.BoolOr("documented", true);
  generation.static_slicing = node.BoolOr("static_slicing", true);
  generation.placed_by_workload_policy = node.BoolOr("placed_by_workload_policy", false);
  generation.note = node.StringOr("note", "");
  generation.conflicts = node.StringsOrNone("conflicts");
  generation.sources = sources.Of(node);
}

}  // namespace

Generation ReadGeneration(const ConfigNode& node, const SourceTable& sources) {
  Generation generation;
  ReadIdentity(node, sources, generation);
  generation.machines = ReadMachines(node, sources, generation.machine_family);
  ReadPlacements(node, sources, generation);
  ReadCustomTopologies(node, sources, generation);
  ReadContainerChips(node, sources, generation);
  generation.disputed_hosts = ReadDisputedHosts(node, sources, generation.dimensions);
  generation.zones = ReadZones(node, sources, generation);
  generation.min_gke_version = ReadVersions(node, sources);
  generation.disks = ReadDisks(node, sources);
  generation.consumption = ReadConsumption(node, sources);
  generation.wraparound = ReadWraparound(node, sources, generation.dimensions);
  generation.dynamic_slicing = ReadDynamicSlicing(node, sources, generation.dimensions);
  ReadHbm(node, sources, generation);
  ReadTensorCores(node, sources, generation);
  generation.node_pool_rules = ReadNodePoolRules(node, sources);
  return generation;
}

}  // namespace tpu_admission::tpu
