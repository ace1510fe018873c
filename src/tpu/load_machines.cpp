#include <algorithm>
#include <array>
#include <utility>

#include "tpu/catalog_loader.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::tpu {
namespace {

constexpr std::int64_t kMillisPerCpu = 1000;
constexpr std::int64_t kMibPerGib = 1024;

// A node always keeps a part of its machine for itself.
Allocatable ReadAllocatable(ConfigNode row, const MachineType& machine) {
  ConfigNode node = row.Map("allocatable");
  const std::int64_t cpu = machine.vcpu * kMillisPerCpu;
  const std::int64_t memory = machine.memory_gib * kMibPerGib;
  Allocatable allocatable;
  allocatable.cpu_millis = node.Int("cpu_millis", {1, cpu - 1});
  allocatable.memory_mib = node.Int("memory_mib", {1, memory - 1});
  allocatable.memory_v2_mib = node.Int("memory_v2_mib", {1, memory - 1});
  return allocatable;
}

std::string ReadPreemption(ConfigNode row) {
  constexpr std::array<std::string_view, 4> kNames = {"", "lower", "medium", "higher"};
  return std::string(kNames[row.OneOfOr("preemption", kNames, 0)]);
}

MachineType ReadMachine(ConfigNode row, const SourceTable& sources) {
  constexpr std::int64_t kMost = 1'000'000;
  MachineType machine;
  machine.name = row.String("name");
  machine.chips = row.Int("chips", {1, 1024});
  machine.vcpu = row.Int("vcpu", {1, kMost});
  machine.memory_gib = row.Int("memory_gib", {1, kMost});
  machine.memory_ceiling_gib =
      row.IntOr("memory_ceiling_gib", machine.memory_gib, {machine.memory_gib, kMost});
  if (row.Has("numa_nodes")) machine.numa_nodes = static_cast<int>(row.Int("numa_nodes", {1, 64}));
  machine.threads_per_core = static_cast<int>(row.IntOr("threads_per_core", 2, {1, 2}));
  machine.single_host = row.BoolOr("single_host", true);
  machine.documented = row.BoolOr("documented", true);
  machine.preemption = ReadPreemption(row);
  machine.note = row.StringOr("note", "");
  machine.allocatable = ReadAllocatable(row, machine);
  machine.sources = sources.Of(row);
  return machine;
}

}  // namespace

std::vector<MachineType> ReadMachines(const ConfigNode& generation, const SourceTable& sources,
                                      std::string_view family) {
  std::vector<MachineType> machines;
  for (ConfigNode row : FilledList(generation, "machines")) {
    MachineType machine = ReadMachine(row, sources);
    const bool duplicate = std::any_of(machines.begin(), machines.end(), [&](const auto& other) {
      return other.name == machine.name;
    });
    if (duplicate) row.Fail("name", "duplicate machine " + Quoted(machine.name));
    if (!machine.name.starts_with(std::string(family) + '-')) {
      row.Fail("name", "found " + Quoted(machine.name) + ", wanted a machine of the family " +
                           Quoted(family));
    }
    machines.push_back(std::move(machine));
  }
  return machines;
}

}  // namespace tpu_admission::tpu
