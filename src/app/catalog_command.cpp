// `tpu-admission catalog`: what the engine knows of TPUs, as tables or JSON.
#include <iomanip>
#include <iostream>
#include <string_view>

#include "app/catalog_json.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/settings_loader.h"

namespace tpu_admission::app {
namespace {

void PrintMachines(const tpu::Generation& generation) {
  std::cout << "  machine              chips  vCPU  memory GiB  gives pods about\n";
  for (const tpu::MachineType& machine : generation.machines) {
    std::cout << "  " << std::left << std::setw(21) << machine.name << std::right << std::setw(5)
              << machine.chips << std::setw(6) << machine.vcpu << std::setw(12)
              << machine.memory_gib << "  " << machine.allocatable.cpu_millis << "m, "
              << machine.allocatable.memory_mib << "Mi"
              << (machine.threads_per_core == 1 ? "; SMT is off" : "") << '\n';
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

void PrintZones(const tpu::Zones& zones) {
  std::cout << "\n  zones:";
  for (const tpu::Zone& zone : zones.list) {
    std::cout << ' ' << zone.name << (zone.confidence == tpu::Confidence::kLow ? "?" : "");
  }
  std::cout << (zones.list.empty() ? " not known\n" : "\n");
  for (const tpu::ZoneLimit& limit : zones.limits) {
    std::cout << "  in";
    for (const std::string& zone : limit.in) std::cout << ' ' << zone;
    std::cout << ": " << (limit.machine.empty() ? "all machines" : limit.machine);
    if (limit.min_topology) std::cout << " from topology " << limit.min_topology->Text() << " up";
    if (!limit.single_host) std::cout << " without single-host slices";
    if (!limit.instead.empty()) std::cout << "; take " << limit.instead;
    std::cout << '\n';
  }
}

void PrintVersions(const tpu::GkeVersions& versions) {
  if (versions.standard.empty() && versions.autopilot.empty()) return;
  std::cout << "  GKE from: Standard " << versions.standard;
  if (!versions.autopilot.empty()) std::cout << ", Autopilot " << versions.autopilot;
  if (!versions.autoscaling.empty()) std::cout << ", autoscaling " << versions.autoscaling;
  std::cout << '\n';
}

void PrintCapacity(const tpu::Consumption& consumption) {
  std::cout << "  capacity:";
  std::string_view comma = " ";
  for (const auto& [name, availability] : AsList(consumption)) {
    if (availability == tpu::Availability::kUnknown) continue;
    std::cout << comma << name << ' ' << TextOf(availability);
    comma = ", ";
  }
  std::cout << (comma == " " ? " not known\n" : "\n");
}

void PrintDisks(const tpu::Disks& disks) {
  if (disks.attach.empty()) return;
  std::cout << "  disks that pods may attach:";
  for (const std::string& disk : disks.attach) std::cout << ' ' << disk;
  std::cout << '\n';
}

void PrintNodes(const tpu::Catalog& catalog) {
  const tpu::NodeLimits& limits = catalog.node_limits();
  std::cout << "every TPU node\n\n  at most " << limits.max_pods << " pods, a boot disk of "
            << limits.boot_disk_gib << " GiB if nothing else is set, no images of";
  for (const std::string& image : limits.unsupported_images) std::cout << ' ' << image;
  std::cout << "\n  graceful termination from GKE " << limits.graceful_termination_version
            << "; a Spot VM has " << limits.spot_notice_seconds << " seconds\n\n";
  for (const tpu::Advice& advice : catalog.advice()) std::cout << "  - " << advice.text << '\n';
  std::cout << '\n';
}

void PrintText(const tpu::Catalog& catalog) {
  for (const tpu::Generation& generation : catalog.generations()) {
    std::cout << generation.label << "   " << generation.name << "\n\n";
    PrintMachines(generation);
    std::cout << '\n';
    PrintTopologies(generation);
    PrintZones(generation.zones);
    PrintVersions(generation.min_gke_version);
    PrintCapacity(generation.consumption);
    PrintDisks(generation.disks);
    for (const tpu::NodePoolRule& row : generation.node_pool_rules) {
      std::cout << "  " << row.rule << '\n';
    }
    std::cout << '\n';
  }
  PrintNodes(catalog);
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
    std::cout << CatalogAsJson(catalog).dump(2) << '\n';
  } else {
    PrintText(catalog);
  }
  return kDone;
}

}  // namespace tpu_admission::app
