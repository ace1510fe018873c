// `tpu-admission catalog`: what the engine knows of TPUs, as tables or JSON.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "app/catalog_json.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/settings_loader.h"
#include "app/streams.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"

namespace tpu_admission::app {
namespace {

void PrintMachines(const tpu::Generation& generation, std::ostream& out) {
  out << "  machine              chips  vCPU  memory GiB  gives pods about\n";
  for (const tpu::MachineType& machine : generation.machines) {
    out << "  " << std::left << std::setw(21) << machine.name << std::right << std::setw(5)
        << machine.chips << std::setw(6) << machine.vcpu << std::setw(12) << machine.memory_gib
        << "  " << machine.allocatable.cpu_millis << "m, " << machine.allocatable.memory_mib << "Mi"
        << (machine.threads_per_core == 1 ? "; SMT is off" : "") << '\n';
  }
}

// What the command line asks for; empty lists ask for all.
struct Wanted {
  std::vector<const tpu::Generation*> generations;
  std::vector<tpu::Topology> topologies;

  bool Has(const tpu::Generation& generation) const {
    const bool named = generations.empty() || std::find(generations.begin(), generations.end(),
                                                        &generation) != generations.end();
    return named && std::all_of(topologies.begin(), topologies.end(),
                                [&](const auto& topology) { return generation.Has(topology); });
  }
};

void PrintTopologies(const tpu::Generation& generation, const Wanted& wanted, std::ostream& out) {
  out << "  topology             chips hosts  machine\n";
  std::vector<tpu::Placement> rows = generation.placements;
  if (!wanted.topologies.empty()) rows.clear();
  for (const tpu::Topology& topology : wanted.topologies) {
    for (const tpu::Placement& row : generation.PlacementsOf(topology)) rows.push_back(row);
  }
  for (const tpu::Placement& placement : rows) {
    out << "  " << std::left << std::setw(21) << placement.topology.Text() << std::right
        << std::setw(5) << placement.topology.chips() << std::setw(6) << placement.hosts << "  "
        << placement.machine->name << (placement.autopilot ? "" : " (Standard only)") << '\n';
  }
  if (!generation.custom || !wanted.topologies.empty()) return;
  out << "  above " << generation.custom->above_chips << " chips: multiples of "
      << generation.custom->multiple_of << ", up to " << generation.custom->max_chips
      << " chips, e.g. " << generation.custom->examples.front().Text() << '\n';
}

void PrintZones(const tpu::Zones& zones, std::ostream& out) {
  out << "\n  zones:";
  for (const tpu::Zone& zone : zones.list) {
    out << ' ' << zone.name << (zone.confidence == tpu::Confidence::kLow ? "?" : "");
  }
  out << (zones.list.empty() ? " not known\n" : "\n");
  for (const tpu::ZoneLimit& limit : zones.limits) {
    out << "  in";
    for (const std::string& zone : limit.in) out << ' ' << zone;
    out << ": " << (limit.machine.empty() ? "all machines" : limit.machine);
    if (limit.min_topology) out << " from topology " << limit.min_topology->Text() << " up";
    if (!limit.single_host) out << " without single-host slices";
    if (!limit.instead.empty()) out << "; take " << limit.instead;
    out << '\n';
  }
}

void PrintVersions(const tpu::GkeVersions& versions, std::ostream& out) {
  if (versions.standard.empty() && versions.autopilot.empty()) return;
  out << "  GKE from: Standard " << versions.standard;
  if (!versions.autopilot.empty()) out << ", Autopilot " << versions.autopilot;
  if (!versions.autoscaling.empty()) out << ", autoscaling " << versions.autoscaling;
  out << '\n';
}

void PrintCapacity(const tpu::Consumption& consumption, std::ostream& out) {
  out << "  capacity:";
  std::string_view comma = " ";
  for (const auto& [name, availability] : AsList(consumption)) {
    if (availability == tpu::Availability::kUnknown) continue;
    out << comma << name << ' ' << TextOf(availability);
    comma = ", ";
  }
  out << (comma == " " ? " not known\n" : "\n");
}

void PrintDisks(const tpu::Disks& disks, std::ostream& out) {
  if (disks.attach.empty()) return;
  out << "  disks that pods may attach:";
  for (const std::string& disk : disks.attach) out << ' ' << disk;
  out << '\n';
}

void PrintNodes(const tpu::Catalog& catalog, std::ostream& out) {
  const tpu::NodeLimits& limits = catalog.node_limits();
  out << "every TPU node\n\n  at most " << limits.max_pods << " pods, a boot disk of "
      << limits.boot_disk_gib << " GiB if nothing else is set, no images of";
  for (const std::string& image : limits.unsupported_images) out << ' ' << image;
  out << "\n  graceful termination from GKE " << limits.graceful_termination_version
      << "; a Spot VM has " << limits.spot_notice_seconds << " seconds\n\n";
  for (const tpu::Advice& advice : catalog.advice()) out << "  - " << advice.text << '\n';
  out << '\n';
}

void PrintText(const tpu::Catalog& catalog, const Wanted& wanted) {
  std::ostringstream out;  // the words of a catalog may be strangers'
  for (const tpu::Generation& generation : catalog.generations()) {
    if (!wanted.Has(generation)) continue;
    out << generation.label << "   " << generation.name << "\n\n";
    PrintMachines(generation, out);
    out << '\n';
    PrintTopologies(generation, wanted, out);
    PrintZones(generation.zones, out);
    PrintVersions(generation.min_gke_version, out);
    PrintCapacity(generation.consumption, out);
    PrintDisks(generation.disks, out);
    for (const tpu::NodePoolRule& row : generation.node_pool_rules) {
      out << "  " << row.rule << '\n';
    }
    out << '\n';
  }
  if (wanted.generations.empty() && wanted.topologies.empty()) PrintNodes(catalog, out);
  out << "Facts of " << catalog.version() << " (sha256 " << catalog.checksum().substr(0, 12)
      << "); a zone with ? stands in few lists, or is for single tenants.\n"
         "--output json shows the source of every row.\n";
  std::cout << ShownLines(out.str());
}

// The words of the command line, read by this catalog.
Result<Wanted> Read(const std::vector<std::string>& words, const tpu::Catalog& catalog) {
  Wanted wanted;
  for (const std::string& word : words) {
    if (const auto topology = tpu::Topology::Parse(word)) {
      wanted.topologies.push_back(*topology);
    } else if (const auto* const generation = catalog.Guess(word)) {
      wanted.generations.push_back(generation);
    } else if (const auto meant = tpu::Tidied(word)) {
      return Error{Quoted(word) + " is no topology; write " + meant->Text()};
    } else {
      return Error{Quoted(word) + " is neither a generation nor a topology such as 4x4; " +
                   tpu::HintFor(catalog, word)};
    }
  }
  const auto all = catalog.generations();
  if (std::any_of(all.begin(), all.end(), [&](const auto& each) { return wanted.Has(each); })) {
    return wanted;
  }
  std::string why = "the catalog has no topology";
  for (const tpu::Topology& topology : wanted.topologies) why += " " + topology.Text();
  for (const tpu::Generation* const generation : wanted.generations) {
    for (const tpu::Topology& topology : wanted.topologies) {
      const std::string reason = generation->OfferOf(topology).reason;
      if (!reason.empty()) why += "; " + generation->label + " " + topology.Text() + ": " + reason;
    }
  }
  return Error{why};
}

nlohmann::ordered_json AsJson(const tpu::Catalog& catalog, const Wanted& wanted) {
  nlohmann::ordered_json json = CatalogAsJson(catalog);
  nlohmann::ordered_json generations = nlohmann::ordered_json::array();
  for (const tpu::Generation& generation : catalog.generations()) {
    if (!wanted.Has(generation)) continue;
    generations.push_back(GenerationAsJson(generation));
    if (wanted.topologies.empty()) continue;
    nlohmann::ordered_json& rows = generations.back()["topologies"];
    rows = nlohmann::ordered_json::array();
    for (const tpu::Topology& topology : wanted.topologies) {
      for (const tpu::Placement& row : generation.PlacementsOf(topology)) {
        rows.push_back(PlacementAsJson(row));
      }
    }
  }
  json["generations"] = std::move(generations);
  return json;
}

Status Show(const CatalogOptions& options) {
  std::string text(tpu::BuiltInCatalogText());
  if (!options.catalog_file.empty()) {
    TPU_ADMISSION_TRY(text, DiskFiles().Read(options.catalog_file, kMaxConfigBytes));
  }
  TPU_ADMISSION_TRY(const auto catalog, tpu::Catalog::Load(text, options.catalog_file));
  TPU_ADMISSION_TRY(const Wanted wanted, Read(options.only, *catalog));
  if (options.output == "json") {
    WriteJson(AsJson(*catalog, wanted));
  } else {
    PrintText(*catalog, wanted);
  }
  return OkStatus();
}

}  // namespace

int ShowCatalog(const CatalogOptions& options) {
  const Status shown = Show(options);
  return shown ? kDone : CannotRun(shown.error());
}

}  // namespace tpu_admission::app
