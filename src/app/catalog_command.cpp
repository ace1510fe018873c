// `tpu-admission catalog`: what the engine knows of TPUs, as tables or JSON.
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/settings_loader.h"

namespace tpu_admission::app {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const tpu::MachineType& machine) {
  return {{"name", machine.name},
          {"vcpu", machine.vcpu},
          {"memory_gib", machine.memory_gib},
          {"memory_ceiling_gib", machine.memory_ceiling_gib},
          {"numa_nodes", machine.numa_nodes ? Json(*machine.numa_nodes) : Json(nullptr)},
          {"chips", machine.chips},
          {"allocatable_cpu_millis", machine.allocatable.cpu_millis},
          {"allocatable_memory_mib", machine.allocatable.memory_mib},
          {"documented", machine.documented},
          {"sources", machine.sources}};
}

Json ToJson(const tpu::Placement& placement) {
  return {
      {"topology", placement.topology.Text()},
      {"chips", placement.topology.chips()},
      {"machine", placement.machine->name},
      {"hosts", placement.hosts},
      {"chips_per_host", placement.chips_per_host()},
      {"standard", placement.standard},
      {"autopilot", placement.autopilot},
      {"sources", std::vector<std::string>(placement.sources.begin(), placement.sources.end())}};
}

Json ToJson(const tpu::CustomTopologies& custom) {
  Json examples = Json::array();
  for (const tpu::Topology& example : custom.examples) examples.push_back(example.Text());
  return {
      {"above_chips", custom.above_chips}, {"multiple_of", custom.multiple_of},
      {"max_chips", custom.max_chips},     {"documented_max_chips", custom.documented_max_chips},
      {"machine", custom.machine->name},   {"examples", std::move(examples)},
      {"sources", custom.sources}};
}

std::string_view Name(tpu::Confidence confidence) {
  if (confidence == tpu::Confidence::kHigh) return "high";
  return confidence == tpu::Confidence::kMedium ? "medium" : "low";
}

Json ToJson(const tpu::Zone& zone) {
  return {{"name", zone.name},
          {"confidence", Name(zone.confidence)},
          {"single_tenant", zone.single_tenant}};
}

template <typename Rows>
Json ListOf(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(ToJson(row));
  return list;
}

Json ToJson(const tpu::Generation& generation) {
  return {{"id", generation.id},
          {"name", generation.name},
          {"label", generation.label},
          {"machine_family", generation.machine_family},
          {"dimensions", generation.dimensions},
          {"documented", generation.documented},
          {"static_slicing", generation.static_slicing},
          {"container_chips", generation.container_chips},
          {"machines", ListOf(generation.machines)},
          {"topologies", ListOf(generation.placements)},
          {"custom_topologies", generation.custom ? ToJson(*generation.custom) : Json(nullptr)},
          {"zones", ListOf(generation.zones.list)},
          {"min_gke_version",
           {{"standard", generation.min_gke_version.standard},
            {"autopilot", generation.min_gke_version.autopilot}}},
          {"conflicts", generation.conflicts},
          {"sources", generation.sources}};
}

void PrintJson(const tpu::Catalog& catalog) {
  Json sources = Json::object();
  for (const tpu::Catalog::Source& source : catalog.sources()) sources[source.key] = source.text;
  Json generations = Json::array();
  for (const tpu::Generation& row : catalog.generations()) generations.push_back(ToJson(row));
  const Json report = {{"version", catalog.version()},
                       {"checksum", catalog.checksum()},
                       {"generations", std::move(generations)},
                       {"sources", std::move(sources)}};
  std::cout << report.dump(2) << '\n';
}

void PrintMachines(const tpu::Generation& generation) {
  std::cout << "  machine              chips  vCPU  memory GiB  gives pods about\n";
  for (const tpu::MachineType& machine : generation.machines) {
    std::cout << "  " << std::left << std::setw(21) << machine.name << std::right << std::setw(5)
              << machine.chips << std::setw(6) << machine.vcpu << std::setw(12)
              << machine.memory_gib << "  " << machine.allocatable.cpu_millis << "m, "
              << machine.allocatable.memory_mib << "Mi\n";
  }
}

void PrintTopologies(const tpu::Generation& generation) {
  std::cout << "  topology             chips hosts  machine\n";
  for (const tpu::Placement& placement : generation.placements) {
    std::cout << "  " << std::left << std::setw(21) << placement.topology.Text() << std::right
              << std::setw(5) << placement.topology.chips() << std::setw(6) << placement.hosts
              << "  " << placement.machine->name << (placement.autopilot ? "" : " (Standard only)")
              << '\n';
  }
  if (!generation.custom) return;
  std::cout << "  above " << generation.custom->above_chips << " chips: multiples of "
            << generation.custom->multiple_of << ", up to " << generation.custom->max_chips
            << " chips, e.g. " << generation.custom->examples.front().Text() << '\n';
}

void PrintText(const tpu::Catalog& catalog) {
  for (const tpu::Generation& generation : catalog.generations()) {
    std::cout << generation.label << "   " << generation.name << "\n\n";
    PrintMachines(generation);
    std::cout << '\n';
    PrintTopologies(generation);
    std::cout << "\n  zones:";
    for (const tpu::Zone& zone : generation.zones.list) {
      std::cout << ' ' << zone.name << (zone.confidence == tpu::Confidence::kLow ? "?" : "");
    }
    std::cout << (generation.zones.list.empty() ? " not known" : "") << "\n\n";
  }
  std::cout << "Facts of " << catalog.version() << " (sha256 " << catalog.checksum().substr(0, 12)
            << "); a zone with ? stands in one list of low confidence only.\n"
               "--output json shows the source of every row.\n";
}

}  // namespace

int ShowCatalog(const CatalogOptions& options) {
  EngineOptions engine;
  engine.catalog_file = options.catalog_file;
  auto settings = SettingsLoader(engine, "").Load();
  if (!settings) {
    std::cerr << "tpu-admission: " << settings.error().message << '\n';
    return kCannotRun;
  }
  const tpu::Catalog& catalog = (*settings)->engine.catalog();
  if (options.output == "json") {
    PrintJson(catalog);
  } else {
    PrintText(catalog);
  }
  return kDone;
}

}  // namespace tpu_admission::app
