#include <algorithm>
#include <array>
#include <utility>

#include "tpu/catalog_loader.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::tpu {
namespace {

std::string MachineNames(const Generation& generation) {
  std::vector<std::string> names;
  for (const MachineType& machine : generation.machines) names.push_back(machine.name);
  return JoinOr(names);
}

// The machine that a row names. nullptr: it is none of the generation's, which is noted.
const MachineType* ReadMachineOf(ConfigNode row, const Generation& generation) {
  const std::string name = row.String("machine");
  const MachineType* const machine = generation.FindMachine(name);
  if (machine == nullptr && !name.empty()) {
    row.Fail("machine", "found " + Quoted(name) +
                            ", wanted a machine of this generation: " + MachineNames(generation));
  }
  return machine;
}

void ReadModes(ConfigNode row, Placement& placement) {
  if (!row.Has("modes")) return;
  constexpr std::array<std::string_view, 2> kNames = {"standard", "autopilot"};
  std::array<bool, 2> modes{};
  for (ConfigNode mode : row.List("modes")) modes[mode.AsOneOf(kNames)] = true;
  placement.standard = modes[0];
  placement.autopilot = modes[1];
  if (!modes[0] && !modes[1]) row.Fail("modes", "wanted standard, autopilot or both");
}

// The hosts that make up the topology; 0, noted, if whole machines cannot.
std::int64_t CountHosts(ConfigNode row, const Topology& topology, const MachineType& machine) {
  const std::int64_t chips = topology.chips();
  const std::int64_t hosts = chips / machine.chips;
  const std::string has = topology.Text() + " has " + std::to_string(chips) + " chips, ";
  if (chips % machine.chips != 0) {
    row.Fail("topology",
             has + "no multiple of the " + std::to_string(machine.chips) + " of " + machine.name);
    return 0;
  }
  if (hosts == 1 && !machine.single_host) {
    row.Fail("topology", has + "one host, which " + machine.name + " cannot be");
  }
  return hosts;
}

void CheckDuplicates(ConfigNode row, const Generation& generation, const Placement& placement) {
  std::size_t same = 0;
  for (const Placement& other : generation.placements) {
    if (other.topology != placement.topology) continue;
    ++same;
    if (other.machine == placement.machine) {
      row.Fail("topology",
               "duplicate row: " + placement.topology.Text() + " on " + placement.machine->name);
    }
  }
  if (same >= PlacementList::kCapacity) {
    row.Fail("topology", "more than " + std::to_string(PlacementList::kCapacity) + " rows for " +
                             placement.topology.Text());
  }
}

void ReadPlacement(ConfigNode row, Generation::PlacementText& text, Generation& generation) {
  const std::optional<Topology> topology = ReadTopology(row, "topology", generation.dimensions);
  const MachineType* const machine = ReadMachineOf(row, generation);
  Placement placement;
  ReadModes(row, placement);
  placement.documented = row.BoolOr("documented", true);
  placement.note = text.note;
  placement.sources = text.sources;
  if (!topology || machine == nullptr) return;
  placement.topology = *topology;
  placement.machine = machine;
  placement.hosts = CountHosts(row, *topology, *machine);
  CheckDuplicates(row, generation, placement);
  generation.placements.push_back(placement);
}

void CheckExamples(ConfigNode block, const Generation& generation) {
  for (const Topology& example : generation.custom->examples) {
    const OfferAnswer answer = generation.OfferOf(example);
    if (answer.offer == Offer::kNotOffered) {
      block.Fail("examples", example.Text() + " does not fit the rule: " + answer.reason);
    }
  }
}

}  // namespace

void ReadPlacements(ConfigNode node, const SourceTable& sources, Generation& generation) {
  std::vector<ConfigNode> rows = FilledList(std::move(node), "placements");
  // Texts first: placements point into them, so the vector must not grow any more.
  for (ConfigNode row : rows) {
    generation.placement_texts.push_back({row.StringOr("note", ""), sources.Of(row)});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ReadPlacement(rows[i], generation.placement_texts[i], generation);
  }
}

void ReadCustomTopologies(ConfigNode node, const SourceTable& sources, Generation& generation) {
  std::optional<ConfigNode> block = node.MapOrNone("custom");
  if (!block) return;
  CustomTopologies custom;
  custom.machine = ReadMachineOf(*block, generation);
  custom.above_chips = block->Int("above_chips", {0, 1'000'000});
  custom.multiple_of = static_cast<int>(block->Int("multiple_of", {1, 1024}));
  custom.order = ReadOrder(*block);
  custom.max_chips = block->Int("max_chips", {.min = custom.above_chips + 1});
  custom.documented_max_chips =
      block->IntOr("documented_max_chips", custom.max_chips, {1, custom.max_chips});
  custom.examples = ReadTopologies(*block, "examples", generation.dimensions);
  if (custom.examples.empty()) block->Fail("examples", "found none, wanted at least one topology");
  custom.note = block->StringOr("note", "");
  custom.sources = sources.Of(*block);
  if (custom.machine == nullptr) return;
  if ((custom.multiple_of * custom.multiple_of) % custom.machine->chips != 0) {
    block->Fail("multiple_of", "such shapes cannot be made of whole machines of " +
                                   std::to_string(custom.machine->chips) + " chips");
  }
  generation.custom = std::move(custom);
  CheckExamples(*block, generation);
}

}  // namespace tpu_admission::tpu
